import { timeOfDay } from '../parts/format-time.ts';
import type { Message } from '../state/shapes.ts';
import { choose } from '../state/way.ts';
import { FormattedText } from './formatted-text.tsx';
import { MediaView } from './media-view.tsx';
import { snippet } from './snippet.ts';
import { Ticks } from './ticks.tsx';

/** One message; choosing it shows its way through the parts. */
export const Bubble = (props: { message: Message; isChosen: boolean; isTabStop: boolean }) => {
  const { message, isChosen, isTabStop } = props;
  return (
    <div class={`bubble${isChosen ? ' chosen' : ''}`}>
      <button
        type="button"
        class="choose"
        aria-pressed={isChosen}
        aria-label={`Show the way of: ${snippet(message)}`}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => choose({ kind: 'message', id: message.id })}
      />
      {'ruleName' in message && message.ruleName && <p class="rule">{message.ruleName}</p>}
      {message.media.map((media) => (
        <MediaView key={media.url} kind={media.kind} url={media.url} />
      ))}
      {message.text && <FormattedText text={message.text} />}
      <p class="meta">
        <time dateTime={message.at}>{timeOfDay(message.at)}</time>
        {'status' in message && <Ticks status={message.status} />}
      </p>
    </div>
  );
};
