import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { useConsole } from '../state/console-state.ts';
import { doItem } from './actions.ts';
import { useFirstRun } from './first-run-state.ts';
import { ITEM_TEXTS } from './item-texts.ts';
import { type Evidence, type Item, isAgentItem, type Progress } from './progress.ts';

/** An item, with the button that does it, or what proves that it is done. */
export const ChecklistItem = ({ item, progress }: { item: Item; progress: Progress }) => {
  const { title, explains, needs } = ITEM_TEXTS[item];
  const features = useConsole((state) => state.features);
  const evidence = progress[item];
  const isOff = needs !== undefined && features !== null && !needs.isOn(features);
  return (
    <li class={evidence ? 'done' : undefined}>
      <span class="check" role="img" aria-label={evidence ? 'Done' : 'To do'} />
      <div>
        <h3>{title}</h3>
        <p>{explains}</p>
        {isOff && <p>{needs.setting}</p>}
      </div>
      {evidence ? (
        <EvidenceLink evidence={evidence} title={title} />
      ) : (
        !isOff && <ItemButton item={item} progress={progress} />
      )}
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

/** The button that does an item. */
export const ItemButton = ({
  item,
  progress,
  class: className,
}: {
  item: Item;
  progress: Progress;
  class?: string;
}) => {
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
  if (isAgentItem(item)) return undefined;
  if (progress.wrote === undefined) return 'A user must write first.';
  return item === 'read' && progress.templated === undefined ? 'Send the template first.' : undefined;
};
