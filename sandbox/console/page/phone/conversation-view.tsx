import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { dayOf } from '../parts/format-time.ts';
import { store } from '../state/console-state.ts';
import { loadEarlier, loadLatest } from '../state/conversation.ts';
import type { Message } from '../state/shapes.ts';
import { useStore } from '../state/store.ts';
import { Bubble } from './bubble.tsx';

const NEAR_PX = 60;

/** The conversation, oldest message first, a bounded part of it at a time. */
export const ConversationView = () => {
  const { messages, before, isAtEnd } = useStore(store, (state) => state.conversation);
  const chosen = useStore(store, (state) => state.chosen?.id);
  const scroller = useRef<HTMLDivElement>(null);
  const lastId = messages.at(-1)?.id;
  const tabStop = messages.some(({ id }) => id === chosen) ? chosen : lastId;

  // Whoever looks at the latest message goes on doing so; pictures make the list longer after it was drawn.
  const isAtBottom = useRef(true);
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    const list = element?.querySelector('ol');
    if (!element || !list) return;
    const stay = () => {
      if (isAtBottom.current) element.scrollTop = element.scrollHeight;
    };
    const observer = new ResizeObserver(stay);
    observer.observe(list);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go from button to button within it
    <div
      class="conversation"
      ref={scroller}
      onKeyDown={stepBetweenBubbles}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        // A list that grew while this event was on its way is no reader going up.
        if (scrollHeight - scrollTop - clientHeight < NEAR_PX) isAtBottom.current = isAtEnd;
        else if (scrollTop < lastTop.current) isAtBottom.current = false;
        lastTop.current = scrollTop;
      }}
    >
      {before !== null && (
        <button type="button" class="earlier" onClick={() => void loadEarlier()}>
          Earlier messages
        </button>
      )}
      {messages.length === 0 && <p class="nobody">Nothing was written yet. Write as the user below.</p>}
      <ol>
        {messages.map((message, index) => (
          <li key={message.id} class={message.direction}>
            {isNewDay(message, messages[index - 1]) && <p class="day">{dayOf(message.at)}</p>}
            <Bubble message={message} isChosen={message.id === chosen} isTabStop={message.id === tabStop} />
          </li>
        ))}
      </ol>
      {!isAtEnd && (
        <button type="button" class="earlier" onClick={() => void loadLatest()}>
          Back to the latest
        </button>
      )}
    </div>
  );
};

const isNewDay = (message: Message, before: Message | undefined): boolean =>
  before === undefined || dayOf(before.at) !== dayOf(message.at);

const stepBetweenBubbles = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('.choose')) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.choose')];
  event.preventDefault();
  all[all.indexOf(event.target) + by]?.focus();
};
