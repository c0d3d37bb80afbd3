import { FormattedText } from '../phone/message-bubble.tsx';
import type { Decided, Rule } from '../state/api.ts';
import { useDryRun } from '../state/dry-run.ts';
import type { RequestContent } from '../state/enqueue.ts';
import { fillTemplate } from '../state/templates.ts';
import { DecisionNote } from './decision-note.tsx';
import { contentToSend } from './request-problems.ts';

interface Props {
  readonly contact: string;
  /** The request; undefined if it has nothing to send. */
  readonly content: RequestContent | undefined;
  readonly text: string;
  readonly rule: Rule | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly isWindowOpen: boolean;
}

const CAPTIONS = {
  text: 'Free-form text, because the window is open',
  template: 'The template',
  refused: 'Not sent',
};

/** What the user will see on the phone, and what Parley would decide. */
export const SendPreview = ({ contact, content, text, rule, values, isWindowOpen }: Props) => {
  const decided = useDryRun(contact, content);
  const guess = contentToSend({ text, template: rule?.name ?? '' }, isWindowOpen);
  const toSend = decidedContent(decided) ?? guess;
  const shown = toSend === 'template' ? fillTemplate(rule?.text ?? '', values) : text;
  const isFallback = toSend === 'template' && text.trim() !== '';
  return (
    <div class="send-preview">
      {shown.trim() !== '' && (
        <figure>
          <figcaption>
            {decided === 'asking'
              ? 'Preview'
              : isFallback
                ? 'The template, because the window is closed'
                : CAPTIONS[toSend]}
          </figcaption>
          <p class="bubble">
            <FormattedText text={shown} />
          </p>
        </figure>
      )}
      {decided !== undefined && <DecisionNote decided={decided} />}
    </div>
  );
};

/** Returns which content Parley would send; undefined if it has not said so. */
const decidedContent = (decided: Decided | 'asking' | undefined): keyof typeof CAPTIONS | undefined => {
  if (decided === undefined || decided === 'asking' || decided.kind === 'unavailable') return undefined;
  if (decided.kind === 'refused') return 'refused';
  const { decision } = decided.decision;
  return decision === 'free-form' ? 'text' : decision === 'template' ? 'template' : 'refused';
};
