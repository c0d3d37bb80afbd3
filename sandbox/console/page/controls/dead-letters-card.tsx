import { useEffect, useState } from 'preact/hooks';
import type { DeadLetter, DeadLetterQueue } from '../../../machine-room/machine-room.ts';
import { JsonBody } from '../flow/json-body.tsx';
import { Badge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask } from '../state/service.ts';
import { useStore } from '../state/store.ts';

/** What could not be sent or read, and the way back for it. */
export const DeadLettersCard = () => {
  const depths = useStore(store, (state) => state.depths);
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
  const [letters, setLetters] = useState<readonly DeadLetter[]>([]);
  useEffect(() => {
    if (depth === 0) return setLetters([]);
    void ask<{ messages: readonly DeadLetter[] }>('GET', `/machine-room/dead-letters/${queue}`).then(
      (asked) => asked.ok && setLetters(asked.value.messages),
    );
  }, [queue, depth]);
  return (
    <div class="dead-letters">
      <div class="row">
        <strong>{name}</strong>
        <Badge tone={depth === 0 ? 'good' : 'bad'}>{depth}</Badge>
        <button type="button" disabled={depth === 0} onClick={() => void redrive(queue)}>
          Redrive {name.toLowerCase()}
        </button>
      </div>
      <ul>
        {letters.map(({ id, reason, body }) => (
          <li key={id}>
            <p>{reason ?? 'No reason was given.'}</p>
            <JsonBody name="Message" value={body} />
          </li>
        ))}
      </ul>
    </div>
  );
};

const redrive = async (queue: DeadLetterQueue): Promise<void> => {
  const asked = await ask<{ moved: number }>('POST', `/machine-room/dead-letters/${queue}/redrive`);
  notice(asked.ok ? `${asked.value.moved} moved back to be read again.` : asked.why, !asked.ok);
};
