const COLOURS = 6;

/** A user's initial; the dot says that the conversation window is open. */
export const Avatar = ({ name, isOpen }: { name: string; isOpen: boolean }) => {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span class={`avatar colour-${sum % COLOURS}${isOpen ? ' open' : ''}`} aria-hidden="true">
      {/^\+?\d/.test(name) ? name.slice(-2) : name.slice(0, 1).toUpperCase()}
    </span>
  );
};
