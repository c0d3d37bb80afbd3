import { type FormattedRun, parseFormatting } from './parse-formatting.ts';

/** A message's text as the chat platform shows it. */
export const FormattedText = ({ text }: { text: string }) => (
  <p class="text">{parseFormatting(text).map((run, index) => draw(run, index))}</p>
);

const draw = ({ text, style }: FormattedRun, key: number) => {
  switch (style) {
    case 'plain':
      return text;
    case 'bold':
      return <strong key={key}>{text}</strong>;
    case 'italic':
      return <em key={key}>{text}</em>;
    case 'struck':
      return <s key={key}>{text}</s>;
    case 'code':
      return <code key={key}>{text}</code>;
  }
};
