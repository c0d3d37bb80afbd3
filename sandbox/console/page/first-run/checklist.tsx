import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { useConsole } from '../state/console-state.ts';
import { playSampleConversation } from './actions.ts';
import { ChecklistItem, ItemButton } from './checklist-item.tsx';
import { closeChecklist, firstRun, openChecklist, useFirstRun } from './first-run-state.ts';
import { ITEM_TEXTS } from './item-texts.ts';
import { AGENT_ITEMS, ITEMS, type Progress } from './progress.ts';

/** The checklist, or what is shown instead once it is closed. */
export const FirstRun = ({ fallback }: { fallback: ComponentChildren }) =>
  useFirstRun(({ isOpen }) => isOpen) ? <Checklist /> : fallback;

/** Opens the checklist again. */
export const OpenChecklist = () => (
  <button type="button" class="text-button" onClick={openChecklist}>
    Open the get-started checklist
  </button>
);

const Checklist = () => {
  const progress = useFirstRun((state) => state.progress);
  const hasInspector = useConsole((state) => state.hasInspector);
  const done = doneOf(progress);
  const list = useRef<HTMLElement>(null);
  const doneBefore = useRef(done);
  useEffect(() => {
    // The finished item's button had the focus and is gone.
    if (doneBefore.current === done || document.activeElement !== document.body) return;
    doneBefore.current = done;
    list.current?.querySelector<HTMLElement>('.checklist li:not(.done) button')?.focus({ preventScroll: true });
  }, [done]);
  return (
    <section class="timeline first-run" aria-labelledby="get-started" ref={list}>
      <div class="row">
        <h2 id="get-started">Get started</h2>
        <span class="count">
          {done} of {ITEMS.length} done
        </span>
        <button type="button" class="text-button" onClick={closeChecklist}>
          Close
        </button>
      </div>
      <p class="hint">
        {hasInspector
          ? 'Parley receives and sends messages for your business. Follow one conversation through it: a reply, a refusal, and a template. Use the buttons, or do each step yourself.'
          : 'Only the sandbox is running, so nobody replies. To follow a conversation through Parley, run npm start.'}
      </p>
      <SampleConversation isPrimary={progress.wrote === undefined} />
      <ol class="checklist">
        {ITEMS.map((item) => (
          <ChecklistItem key={item} item={item} progress={progress} />
        ))}
      </ol>
      {hasInspector && <AgentItems progress={progress} />}
      {done === ITEMS.length && (
        <p class="hint">That is the whole tour. Select any message or request to see its timeline.</p>
      )}
    </section>
  );
};

/** The second part of the checklist, which is closed at first. */
const AgentItems = ({ progress }: { progress: Progress }) => {
  const isOpen = useFirstRun((state) => state.isAgentPartOpen);
  const played = AGENT_ITEMS.filter((item) => progress[item] !== undefined).length;
  return (
    <details
      class="agent-items"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && firstRun.set({ isAgentPartOpen: open })}
    >
      <summary>
        <h3>For bots and agents</h3>
        <span class="count">
          {played} of {AGENT_ITEMS.length} played
        </span>
      </summary>
      <ul class="checklist">
        {AGENT_ITEMS.map((item) => (
          <ChecklistItem key={item} item={item} progress={progress} />
        ))}
      </ul>
    </details>
  );
};

/** Above a timeline: the checklist's progress and its next item. */
export const NextItem = () => {
  const isOpen = useFirstRun((state) => state.isOpen);
  const progress = useFirstRun((state) => state.progress);
  if (!isOpen) return null;
  const next = ITEMS.find((item) => progress[item] === undefined);
  return (
    <aside class="next-item" aria-label="Get started">
      <p>
        <strong>
          Get started: {doneOf(progress)} of {ITEMS.length} done.
        </strong>{' '}
        {next === undefined ? 'Select any message or request to see its timeline.' : `Next: ${ITEM_TEXTS[next].title}.`}
      </p>
      <div class="row wrap">
        {next !== undefined && <ItemButton item={next} progress={progress} class="primary" />}
        <Link to={{ selection: undefined }}>Show the checklist</Link>
        <button type="button" class="text-button" onClick={closeChecklist}>
          Close
        </button>
      </div>
      <Status />
    </aside>
  );
};

/** The button that plays a conversation, and what it is doing. */
export const SampleConversation = ({ isPrimary }: { isPrimary: boolean }) => {
  const isRunning = useFirstRun(({ running }) => running !== undefined);
  return (
    <div class="sample-conversation">
      <Button
        class={isPrimary ? 'primary' : undefined}
        disabledReason={isRunning ? 'Wait for the current step to finish.' : undefined}
        onClick={() => void playSampleConversation()}
      >
        Play a sample conversation
      </Button>
      <Status />
    </div>
  );
};

const Status = () => {
  const running = useFirstRun((state) => state.running);
  const failure = useFirstRun((state) => state.failure);
  return (
    <div class="first-run-status" role="status">
      {running !== undefined && <p class="running">{running}</p>}
      {failure !== undefined && <p class="field-error">{failure}</p>}
    </div>
  );
};

const doneOf = (progress: Progress): number => ITEMS.filter((item) => progress[item] !== undefined).length;
