import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy.tsx';
import { counted } from '../components/counted.ts';
import { JsonBody } from '../components/json-view.tsx';
import { Link } from '../components/link.tsx';
import { formatDateTime } from '../components/time.ts';
import { callApi, encodeText, type InspectedQueue, inspectorPath } from '../state/api.ts';
import { showResult, useConsole } from '../state/console-state.ts';
import { deadLettersOf, type ListedDeadLetter, useDeadLetters } from '../state/dead-letters.ts';
import { findUser } from '../state/find-user.ts';
import { adviceOn, contactOf, summaryOf } from './dead-letter-summary.ts';

/** The dead letters of all queues, with what to do about them. */
export const DeadLetterList = () => {
  const list = useRef<HTMLElement>(null);
  const hasBulkQueue = useConsole((state) => state.features?.bulkLane ?? false);
  const [requests, reloadRequests] = useDeadLetters('send');
  const [bulkRequests, reloadBulkRequests] = useDeadLetters('bulk', hasBulkQueue);
  const [events, reloadEvents] = useDeadLetters('inbound');
  const afterAction = (reload: () => Promise<void>) => async () => {
    await reload();
    // The button that had the focus may be gone.
    if (document.activeElement === document.body) list.current?.focus();
  };
  return (
    <section class="dead-letters" aria-label="Dead letters" tabIndex={-1} ref={list}>
      <p class="hint">
        A dead letter is a request or an event that Parley could not process.{' '}
        {[requests, bulkRequests, events].every((deadLetters) => deadLetters?.length === 0)
          ? 'There are none.'
          : 'Fix the cause, then redrive it to process it again, or discard it.'}
      </p>
      <Queue queue="send" deadLetters={requests} onAction={afterAction(reloadRequests)} />
      <Queue queue="bulk" deadLetters={bulkRequests} onAction={afterAction(reloadBulkRequests)} />
      <Queue queue="inbound" deadLetters={events} onAction={afterAction(reloadEvents)} />
    </section>
  );
};

const NAMES: Readonly<Record<InspectedQueue, { title: string; plural: string }>> = {
  send: { title: 'Requests', plural: 'requests' },
  bulk: { title: 'Bulk requests', plural: 'bulk requests' },
  inbound: { title: 'Events', plural: 'events' },
};

interface QueueProps {
  readonly queue: InspectedQueue;
  readonly deadLetters: readonly ListedDeadLetter[] | undefined;
  readonly onAction: () => Promise<void>;
}

const Queue = ({ queue, deadLetters = [], onAction }: QueueProps) => {
  const depth = useConsole((state) => deadLettersOf(queue, state.queueDepths));
  if (deadLetters.length === 0) return null;
  const { title, plural } = NAMES[queue];
  const redriveAll = async () => {
    const result = await callApi<{ moved: number }>('POST', inspectorPath(`dead-letters/${queue}/redrive`), {});
    showResult(result, ({ moved }) => `Moved ${counted(moved, 'message')} back to the queue.`);
    await onAction();
  };
  return (
    <>
      <div class="row dead-letter-queue">
        <h2 class="grow">
          {title}{' '}
          <span class="shown-count">
            {depth > deadLetters.length ? `${deadLetters.length} of ${depth} shown` : deadLetters.length}
          </span>
        </h2>
        <Button onClick={redriveAll}>Redrive all {plural}</Button>
      </div>
      <ul>
        {deadLetters.map((deadLetter) => (
          <Item key={deadLetter.id} queue={queue} deadLetter={deadLetter} onAction={onAction} />
        ))}
      </ul>
    </>
  );
};

interface ItemProps {
  readonly queue: InspectedQueue;
  readonly deadLetter: ListedDeadLetter;
  readonly onAction: () => Promise<void>;
}

const Item = ({ queue, deadLetter, onAction }: ItemProps) => {
  const { id, since, receiveCount, reason, body } = deadLetter;
  const advice = adviceOn(deadLetter);
  const redrive = async () => {
    const result = await callApi<{ moved: number }>('POST', inspectorPath(`dead-letters/${queue}/redrive`), { id });
    showResult(result, ({ moved }) =>
      moved === 0 ? 'The dead letter is no longer in the queue.' : 'Dead letter moved back to the queue.',
    );
    await onAction();
  };
  const discard = async () => {
    const path = inspectorPath(`dead-letters/${queue}/${encodeText(id)}`);
    showResult(await callApi('DELETE', path), () => 'Dead letter discarded.');
    await onAction();
  };
  return (
    <li>
      <div class="dead-letter-title">
        <h3>
          <Subject queue={queue} deadLetter={deadLetter} />
        </h3>
        <p title="Each view of the queue counts as a receive.">
          {since !== undefined && (
            <>
              Since <time dateTime={since}>{formatDateTime(Date.parse(since))}</time>,{' '}
            </>
          )}
          received {receiveCount === 1 ? 'once' : `${receiveCount} times`}
        </p>
      </div>
      <p class="reason">{reason ?? 'No reason given.'}</p>
      {advice !== undefined && <p class="hint">{advice}</p>}
      <JsonBody name="Message" value={body} />
      <ConfirmedButton name="Discard" question="Discard? This cannot be undone." onConfirm={discard}>
        <Button onClick={redrive}>Redrive</Button>
      </ConfirmedButton>
    </li>
  );
};

/** The request, with a link to its timeline if it has one, or a summary of the event. */
const Subject = ({ queue, deadLetter }: Pick<ItemProps, 'queue' | 'deadLetter'>) => {
  const { byContact } = useConsole((state) => state.users);
  const { requestId, hasSend } = deadLetter;
  if (requestId === undefined) return <>{summaryOf(queue, deadLetter)}</>;
  if (!hasSend) return <CopyText text={requestId} />;
  const user = findUser(byContact, contactOf(deadLetter))?.contact;
  return (
    <Link class="id" to={{ selection: { kind: 'request', id: requestId }, ...(user !== undefined && { user }) }}>
      {requestId}
    </Link>
  );
};

interface ConfirmedButtonProps {
  readonly name: string;
  readonly question: string;
  readonly onConfirm: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A button that asks before it acts, in place. The children are shown beside it. */
const ConfirmedButton = ({ name, question, onConfirm, children }: ConfirmedButtonProps) => {
  const [isAsking, setAsking] = useState<boolean>();
  const cancel = useRef<HTMLButtonElement>(null);
  const ask = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking === true) cancel.current?.focus();
    if (isAsking === false) ask.current?.focus();
  }, [isAsking]);
  if (!isAsking) {
    return (
      <div class="row">
        {children}
        <button type="button" ref={ask} onClick={() => setAsking(true)}>
          {name}
        </button>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div
      class="row wrap"
      role="group"
      aria-label={question}
      onKeyDown={({ key }) => key === 'Escape' && setAsking(false)}
    >
      <p class="question">{question}</p>
      <Button class="danger" onClick={onConfirm}>
        {name}
      </Button>
      <button type="button" ref={cancel} onClick={() => setAsking(false)}>
        Cancel
      </button>
    </div>
  );
};
