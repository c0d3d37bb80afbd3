import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { JsonBody } from '../components/json-view.tsx';
import { callApi, type DeadLetter, type DeadLetterQueue, inspectorPath } from '../state/api.ts';
import { showResult, useConsole } from '../state/console-state.ts';
import { Card } from './card.tsx';

/** The sandbox's side of webhook delivery: expired events, replay, and the signing key. */
export const DeliveryCard = () => {
  const expiredCount = useConsole((state) => state.expiredCount);
  return (
    <Card
      title="Webhook delivery"
      note={expiredCount === 0 ? 'No expired events' : counted(expiredCount, 'expired event')}
    >
      <div class="row wrap">
        <button type="button" onClick={() => void replay()}>
          Replay retained events
        </button>
        <button type="button" onClick={() => void rotateSigningKey()}>
          Rotate signing key
        </button>
      </div>
    </Card>
  );
};

const replay = async (): Promise<void> => {
  const result = await callApi<{ replayed: number }>('POST', '/sandbox/replay', {});
  showResult(result, ({ replayed }) => `Replaying ${counted(replayed, 'event')}.`);
};

const rotateSigningKey = async (): Promise<void> => {
  const result = await callApi<{ kid: string }>('POST', '/sandbox/carrier/rotate-keys');
  showResult(result, ({ kid }) => `Signing key rotated. New key ID: ${kid}`);
};

/** Parley's side: the dead-letter queues. */
export const DeadLettersCard = () => {
  const depths = useConsole((state) => state.queueDepths);
  const send = depths?.sendDeadLetters ?? 0;
  const inbound = depths?.inboundDeadLetters ?? 0;
  return (
    <Card title="Dead letters" note={send + inbound}>
      <Queue name="Requests" queue="send" depth={send} />
      <Queue name="Events" queue="inbound" depth={inbound} />
    </Card>
  );
};

const Queue = ({ name, queue, depth }: { name: string; queue: DeadLetterQueue; depth: number }) => {
  const [deadLetters, setDeadLetters] = useState<readonly DeadLetter[]>([]);
  useEffect(() => {
    if (depth === 0) return setDeadLetters([]);
    void callApi<{ messages: readonly DeadLetter[] }>('GET', inspectorPath(`dead-letters/${queue}`)).then(
      (result) => result.ok && setDeadLetters(result.value.messages),
    );
  }, [queue, depth]);
  return (
    <div class="dead-letters">
      <div class="row">
        <strong>{name}</strong>
        <Badge tone={depth === 0 ? 'success' : 'error'}>{depth}</Badge>
        <button type="button" disabled={depth === 0} onClick={() => void redrive(queue)}>
          Redrive {name.toLowerCase()}
        </button>
      </div>
      <ul>
        {deadLetters.map(({ id, reason, body }) => (
          <li key={id}>
            <p>{reason ?? 'No reason given.'}</p>
            <JsonBody name="Message" value={body} />
          </li>
        ))}
      </ul>
    </div>
  );
};

const redrive = async (queue: DeadLetterQueue): Promise<void> => {
  const result = await callApi<{ moved: number }>('POST', inspectorPath(`dead-letters/${queue}/redrive`));
  showResult(result, ({ moved }) => `Moved ${counted(moved, 'message')} back to the queue.`);
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
