import { Button } from '../components/button.tsx';
import { formatRoughly, useServiceTime } from '../components/time.ts';
import { AMPLE_CREDIT, setCredit } from '../state/account.ts';
import { useConsole } from '../state/console-state.ts';
import { clearFaults } from '../state/faults.ts';
import { closeCircuitBreaker } from '../state/stage.ts';
import { Banner } from './banner.tsx';

/** Why requests are waiting, with a fix if the cause is in this sandbox: no credit, or injected faults. */
export const CircuitBreakerBanner = () => {
  const circuitBreaker = useConsole((state) => state.stage?.circuitBreaker);
  const hasNoCredit = useConsole((state) => state.account?.credit === 0);
  const hasFaults = useConsole((state) => state.faults.answers.length > 0);
  if (circuitBreaker?.state !== 'open') return null;
  const { why = 'no reason recorded', nextProbeAt } = circuitBreaker;
  const reason = hasNoCredit ? 'the account has no credit' : why.replace(/\.$/, '');
  return (
    <Banner
      tone="error"
      sentence={
        <>
          The circuit breaker is open: {reason}. Requests are waiting. <NextProbe at={nextProbeAt} />
        </>
      }
    >
      {hasNoCredit && <Button onClick={() => setCredit(AMPLE_CREDIT)}>Add credit</Button>}
      {hasFaults && <Button onClick={() => clearFaults()}>Clear faults</Button>}
      <Button onClick={() => closeCircuitBreaker()}>Close circuit breaker</Button>
    </Banner>
  );
};

/** The role `timer` keeps screen readers from announcing every second. */
const NextProbe = ({ at }: { at: string | undefined }) => {
  const now = useServiceTime();
  const remainingMs = at === undefined ? 0 : Date.parse(at) - now;
  return (
    <span role="timer">
      {remainingMs > 0 ? `Next probe in ${formatRoughly(remainingMs)}.` : 'The next request is a probe.'}
    </span>
  );
};
