import { useEffect, useState } from 'preact/hooks';
import { Link } from '../components/link.tsx';
import { formatTime } from '../components/time.ts';
import { type CustomerMessage, callApi, encodeText, inspectorPath } from '../state/api.ts';
import { showError, useConsole } from '../state/console-state.ts';

/** The latest messages of a customer at all addresses, in one order. Loaded while they are shown. */
export const CustomerMessages = ({ customerId }: { customerId: string }) => {
  const changes = useConsole((state) => state.contactChanges);
  const [isOpen, setOpen] = useState(false);
  const [messages, setMessages] = useState<readonly CustomerMessage[]>([]);
  useEffect(() => {
    if (!isOpen) return;
    let isLatest = true;
    void loadMessages(customerId).then((loaded) => isLatest && loaded !== undefined && setMessages(loaded));
    return () => {
      isLatest = false;
    };
  }, [customerId, isOpen, changes]);
  return (
    <details class="more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Messages at all addresses</summary>
      <ol class="customer-messages">
        {messages.map(({ id, at = '', isFromUser, summary, isEdited }) => (
          <li key={id}>
            <Link to={{ selection: { kind: 'message', id } }}>
              <time dateTime={at}>{formatTime(at)}</time> {isFromUser ? '' : '↩ '}
              {summary}
              {isEdited && <span class="badge">edited</span>}
            </Link>
          </li>
        ))}
      </ol>
    </details>
  );
};

const loadMessages = async (customerId: string): Promise<readonly CustomerMessage[] | undefined> => {
  const path = inspectorPath(`customers/${encodeText(customerId)}/messages`);
  const result = await callApi<{ messages: readonly CustomerMessage[] }>('GET', path);
  if (!result.ok) showError(result.error);
  return result.ok ? result.value.messages : undefined;
};
