import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy.tsx';
import { blocksOf, formatJson, jsonParts } from './json-text.ts';

/** Each colored part is an element, and thousands of them would make the page slow. */
const MAX_COLORED = 400;
/** Longer text takes too long to lay out. */
const MAX_CHARACTERS = 200_000;

interface Props {
  readonly name: string;
  readonly value: unknown;
}

/** A collapsed JSON value, serialized only when it is opened. A string that contains JSON is shown as JSON. */
export const JsonBody = ({ name, value }: Props) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="json-body" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && <Json name={name} value={value} />}
    </details>
  );
};

const Json = ({ name, value }: Props) => {
  const { text, isJson } = useMemo(() => formatJson(value), [value]);
  const shown = text.slice(0, MAX_CHARACTERS);
  const [first = '', ...blocks] = useMemo(() => blocksOf(shown), [shown]);
  const parts = useMemo(() => (isJson ? jsonParts(first, MAX_COLORED) : [{ text: first }]), [first, isJson]);
  return (
    <div class="json">
      <CopyButton name={name.toLowerCase()} text={() => text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>
        {parts.map((part, index) =>
          'kind' in part ? (
            <span key={`${index}`} class={`json-${part.kind}`}>
              {part.text}
            </span>
          ) : (
            part.text
          ),
        )}
        {blocks.map((block, index) => (
          <code key={`${index}`}>{block}</code>
        ))}
      </pre>
      {shown.length < text.length && (
        <p class="hint">
          The first {MAX_CHARACTERS.toLocaleString('en-US')} of {text.length.toLocaleString('en-US')} characters. The
          Copy button copies all of them.
        </p>
      )}
    </div>
  );
};
