import { FormattedText } from '../phone/message-bubble.tsx';
import type { Rule } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { fillTemplate } from '../state/templates.ts';
import { focusTemplate } from './focus-template.ts';
import { contentToSend } from './request-problems.ts';

type Props = {
  text: string;
  rule: Rule | undefined;
  values: ReadonlyMap<string, string>;
  isWindowOpen: boolean;
};

const WHY = {
  text: 'Free-form text, because the window is open',
  template: 'The template',
  refused: 'Not sent',
};

/** What the user will see on the phone, or why nothing will be sent. */
export const SendPreview = ({ text, rule, values, isWindowOpen }: Props) => {
  const content = contentToSend({ text, template: rule?.name ?? '' }, isWindowOpen);
  const hasRules = useConsole((state) => state.rules.length > 0);
  const shown = content === 'template' ? fillTemplate(rule?.text ?? '', values) : text;
  const isFallback = content === 'template' && text.trim() !== '';
  return (
    <div class="send-preview">
      {shown.trim() !== '' && (
        <figure>
          <figcaption>{isFallback ? 'The template, because the window is closed' : WHY[content]}</figcaption>
          <p class="bubble">
            <FormattedText text={shown} />
          </p>
        </figure>
      )}
      {content === 'refused' && (
        <div class="send-warning" role="note">
          <p>
            The window is closed and no template is chosen, so Parley will refuse the request with{' '}
            <code>WINDOW_CLOSED</code>.
          </p>
          {hasRules && (
            <button type="button" onClick={() => void focusTemplate()}>
              Choose a template
            </button>
          )}
        </div>
      )}
    </div>
  );
};
