import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { useConsole } from '../state/console-state.ts';
import { doItem, playSampleConversation } from './actions.ts';
import { closeChecklist, openChecklist, useFirstRun } from './first-run-state.ts';
import { ITEM_TEXTS } from './item-texts.ts';
import { type Evidence, ITEMS, type Item, type Progress } from './progress.ts';

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
      {done === ITEMS.length && (
        <p class="hint">That is the whole tour. Select any message or request to see its timeline.</p>
      )}
    </section>
  );
};

const ChecklistItem = ({ item, progress }: { item: Item; progress: Progress }) => {
  const { title, explains } = ITEM_TEXTS[item];
  const evidence = progress[item];
  return (
    <li class={evidence ? 'done' : undefined}>
      <span class="check" role="img" aria-label={evidence ? 'Done' : 'To do'} />
      <div>
        <h3>{title}</h3>
        <p>{explains}</p>
      </div>
      {evidence ? <EvidenceLink evidence={evidence} title={title} /> : <ItemButton item={item} progress={progress} />}
    </li>
  );
};

const EvidenceLink = ({ evidence: { contact, selection }, title }: { evidence: Evidence; title: string }) => {
  const selected = useConsole((state) => state.route.user);
  const thing = selection?.kind ?? 'user';
  return (
    <Link to={{ user: contact ?? selected, selection }} label={`Show the ${thing}: ${title}`}>
      Show the {thing}
    </Link>
  );
};

const ItemButton = ({ item, progress, class: className }: { item: Item; progress: Progress; class?: string }) => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const isRunning = useFirstRun(({ running }) => running !== undefined);
  const reason = isRunning ? 'Wait for the current step to finish.' : missingFor(item, progress, hasInspector);
  return (
    <Button class={className} disabledReason={reason} onClick={() => void doItem(item)}>
      {ITEM_TEXTS[item].action}
    </Button>
  );
};

/** Returns why an item cannot be done yet. */
const missingFor = (item: Item, progress: Progress, hasInspector: boolean): string | undefined => {
  if (item === 'wrote') return undefined;
  if (!hasInspector && item !== 'read')
    return 'Only the sandbox is running. To send messages with Parley, run npm start.';
  if (progress.wrote === undefined) return 'A user must write first.';
  return item === 'read' && progress.templated === undefined ? 'Send the template first.' : undefined;
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
