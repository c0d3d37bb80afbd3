import { useState } from 'preact/hooks';

/** A body behind its name; its text is made only when somebody opens it. */
export const JsonBody = ({ name, value }: { name: string; value: unknown }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="body" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      {isOpen && <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>}
    </details>
  );
};
