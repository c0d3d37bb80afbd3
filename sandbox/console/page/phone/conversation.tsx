import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { formatDay } from '../components/time.ts';
import type { Message } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { loadEarlierMessages, loadLatestMessages } from '../state/selected-user.ts';
import { MessageBubble } from './message-bubble.tsx';

/** Within this distance of the end, in pixels, the view counts as scrolled to the end. */
const NEAR_END_PX = 60;

/** The loaded part of the conversation, oldest message first. */
export const Conversation = ({ onEdit }: { onEdit: (message: Message) => void }) => {
  const { messages, before, isAtEnd } = useConsole((state) => state.conversation);
  const selectedId = useConsole((state) => state.route.selection?.id);
  const scroller = useRef<HTMLDivElement>(null);
  const lastId = messages.at(-1)?.id;
  const tabStop = messages.some(({ id }) => id === selectedId) ? selectedId : lastId;

  // Keeps the view at the end: images make the list taller after it is rendered.
  const isScrolledToEnd = useRef(true);
  const lastScrollTop = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    const list = element?.querySelector('ol');
    if (!element || !list) return;
    const stayAtEnd = () => {
      if (isScrolledToEnd.current) element.scrollTop = element.scrollHeight;
    };
    const observer = new ResizeObserver(stayAtEnd);
    observer.observe(list);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus between the links inside
    <div
      class="conversation"
      ref={scroller}
      onKeyDown={moveBetweenMessages}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        // Only scrolling up leaves the end; a list that has just grown does not.
        if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) isScrolledToEnd.current = isAtEnd;
        else if (scrollTop < lastScrollTop.current) isScrolledToEnd.current = false;
        lastScrollTop.current = scrollTop;
      }}
    >
      {before !== null && (
        <Button class="load-more" onClick={loadEarlierMessages}>
          Load earlier messages
        </Button>
      )}
      {messages.length === 0 && <p class="empty">No messages yet. Send the first one below, as the user.</p>}
      <ol>
        {messages.map((message, index) => (
          <li key={message.id} class={message.direction}>
            {isNewDay(message, messages[index - 1]) && <p class="day">{formatDay(message.at)}</p>}
            <MessageBubble
              message={message}
              isSelected={message.id === selectedId}
              isTabStop={message.id === tabStop}
              onEdit={onEdit}
            />
          </li>
        ))}
      </ol>
      {!isAtEnd && (
        <Button class="load-more" onClick={loadLatestMessages}>
          Jump to latest
        </Button>
      )}
    </div>
  );
};

const isNewDay = (message: Message, previous: Message | undefined): boolean =>
  previous === undefined || formatDay(previous.at) !== formatDay(message.at);

const moveBetweenMessages = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
  const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (offset === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('.select')) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.select')];
  event.preventDefault();
  links[links.indexOf(event.target) + offset]?.focus();
};
