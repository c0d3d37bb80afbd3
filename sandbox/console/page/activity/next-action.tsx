import { formatSeconds, withReadableTimes } from '../components/time.ts';
import type { SendView } from '../state/api.ts';
import { type Timeline, useConsole } from '../state/console-state.ts';
import { ResolveSend } from './resolve-send.tsx';
import { SendAsTemplate } from './send-as-template.tsx';
import { sentences } from './timeline-step.ts';

/** What the user can do about the request now, or what it is waiting for. */
export const NextAction = ({ timeline }: { timeline: Timeline }) => {
  const send = timeline.trace?.send;
  switch (send?.state) {
    case 'uncertain':
      return <ResolveSend key={send.requestId} requestId={send.requestId} />;
    case 'refused':
      return <Refused key={send.requestId} timeline={timeline} send={send} />;
    case 'waiting':
      return <Waiting send={send} />;
    case 'failed':
      return (
        <p class="next-action">
          The chat service accepted this message, and it failed later. Parley does not send it again. To try again, send
          a new request.
        </p>
      );
    default:
      return null;
  }
};

/** The refusals that sending a template with a reason avoids. */
const TEMPLATE_HELPS = ['WINDOW_CLOSED', 'REASON_MISSING'];

/** What helps after other refusals. */
const ADVICE: Readonly<Record<string, string>> = {
  NO_OPT_IN:
    'The business may not message this user first. Send a message from the phone as the user, or record an opt-in ' +
    'with the command parley opt-in. Then send a new request.',
  OPTED_OUT:
    'The user opted out. Templates are refused until the user opts in again; free-form messages are refused until the ' +
    'user writes again.',
  MEDIA_UNSUPPORTED: 'Send a new request with the https URL of an image, an audio file, or a document.',
  PARAMS_INVALID:
    'Send a new request whose params match the variables that the setting templates lists for the template.',
  SUPERSEDED: 'The user has written since. Send a new request that answers the latest message.',
  HUMAN_TOOK_OVER:
    'An operator has written to the user since. Let the operator answer, or send a new request with a later since.',
  HANDED_OVER:
    'People answer this user, so automated requests are refused. To send this, hand the user back in ' +
    'the controls, and send a new request. Or send one that is not automated.',
  CONDITION_UNKNOWN:
    "The stage does not recognize operators' messages. Set operators.echoField in its settings, or omit the condition.",
  SINCE_UNKNOWN: 'Send a new request whose since is a time, or the ID of a message in the conversation with this user.',
  NOT_ON_PLATFORM: 'The number is not on the chat platform, so no message can reach it.',
  CUSTOMER_UNKNOWN: 'Parley knows no address of the customer to send to. Send a new request to an address.',
  CUSTOMER_AMBIGUOUS:
    'Parley cannot tell which address belongs to this customer alone. Send a new request to an address.',
  PROCESSING_FAILED: 'Parley could not process the request for a day. To try again, redrive the dead letter.',
};

const Refused = ({ timeline, send }: { timeline: Timeline; send: SendView }) => {
  const { requestId, code = '', params, ruleName } = send;
  const contact = timeline.contact ?? send.platformContactId;
  if (!TEMPLATE_HELPS.includes(code) || contact === undefined) {
    return Object.hasOwn(ADVICE, code) ? <p class="next-action">{ADVICE[code]}</p> : null;
  }
  return (
    <section class="next-action" aria-label="Send as template">
      {mayWriteFirst(timeline) ? (
        <p>The conversation window is closed, so only an approved template can reach this user.</p>
      ) : (
        <p>
          This user has never written and has not opted in, so a template will be refused as well. First write a message
          on the phone, as the user, or record an opt-in with the command <code>parley opt-in</code>.
        </p>
      )}
      <SendAsTemplate contact={contact} requestId={requestId} params={params} ruleName={ruleName} />
    </section>
  );
};

/** Whether a message of the user or an opt-in is recorded. */
const mayWriteFirst = ({ trace }: Timeline): boolean =>
  trace?.contact?.lastInboundAt !== undefined ||
  trace?.contact?.consents?.some(({ kind }) => kind === 'opt-in') === true;

/** Parley retries the request automatically; the user can only remove what blocks it. */
const Waiting = ({ send }: { send: SendView }) => {
  const stage = useConsole((state) => state.stage);
  const { state, why, nextProbeAt } = stage?.circuitBreaker ?? {};
  const reason = withReadableTimes(send.outcome ?? send.decision ?? '');
  return (
    <section class="next-action" aria-label="Waiting">
      {stage?.sending.state === 'stopped' ? (
        <p>The request is waiting because an operator stopped sending. Parley sends it after sending resumes.</p>
      ) : state === 'open' ? (
        <p>
          {sentences('The request is waiting because the circuit breaker is open', why)}{' '}
          {nextProbeAt !== undefined && `The next probe is due at ${formatSeconds(nextProbeAt)}.`}
        </p>
      ) : (
        <p>{sentences('The request is waiting, and Parley retries it with backoff', reason)}</p>
      )}
    </section>
  );
};
