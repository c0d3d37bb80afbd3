import type { ComponentChildren } from 'preact';
import { counted } from '../components/counted.ts';
import { withReadableTimes } from '../components/time.ts';
import type { Decided, Decision } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { focusTemplate } from './focus-field.ts';

/** What Parley would do with the request in the form now, and why. */
export const DecisionNote = ({ decided }: { decided: Decided | 'asking' }) => {
  if (decided === 'asking') return <p class="hint decision">Asking Parley…</p>;
  switch (decided.kind) {
    case 'unavailable':
      return <Warning>{decided.message}</Warning>;
    case 'refused':
      return <Warning>Parley would move this request to the dead letters. {decided.message}</Warning>;
    case 'decided':
      return <DecisionText decision={decided.decision} />;
  }
};

const DecisionText = ({ decision: { decision, code, backlog, ...stage } }: { decision: Decision }) => {
  const why = withReadableTimes(stage.why);
  switch (decision) {
    case 'refused':
      return (
        <Warning action={code === 'WINDOW_CLOSED' && <ChooseTemplate />}>
          Parley would refuse this request with <code>{code}</code>. {why}
        </Warning>
      );
    case 'expired':
      return <Warning>Parley would let this request expire. {why}</Warning>;
    case 'free-form':
    case 'template':
      return (
        <>
          <p class="hint decision">
            Parley would call <code>{decision === 'free-form' ? 'message/v3' : 'intent/v2'}</code>. {why}
          </p>
          <p class="hint decision">{describeBacklog(backlog)}</p>
          <WouldWait {...stage} />
        </>
      );
  }
};

const describeBacklog = ({ queue, bulk }: Decision['backlog']): string => {
  const ofBulk = bulk === undefined ? '' : `, ${counted(bulk, 'request')} on the bulk queue`;
  return `Backlog: ${counted(queue, 'request')} on the send queue${ofBulk}.`;
};

const WouldWait = ({ circuitBreaker, sending }: Pick<Decision, 'circuitBreaker' | 'sending'>) => {
  if (sending.state === 'stopped') {
    return <Warning>The request would wait, because an operator stopped sending.</Warning>;
  }
  if (circuitBreaker.state === 'open') {
    return <Warning>The request would wait, because the circuit breaker is open: {circuitBreaker.why}.</Warning>;
  }
  return null;
};

const Warning = ({ action, children }: { action?: ComponentChildren; children: ComponentChildren }) => (
  <div class="send-warning" role="note">
    <p>{children}</p>
    {action}
  </div>
);

const ChooseTemplate = () => {
  const hasRules = useConsole((state) => state.rules.length > 0);
  if (!hasRules) return null;
  return (
    <button type="button" onClick={() => void focusTemplate()}>
      Choose a template
    </button>
  );
};
