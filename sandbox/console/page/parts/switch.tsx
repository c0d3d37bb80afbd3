/** A setting that is on or off; it shows what the service says, not what was clicked. */
export const Switch = ({
  name,
  isOn,
  set,
}: {
  name: string;
  isOn: boolean;
  set: (on: boolean) => Promise<unknown>;
}) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-checked={isOn}
      onChange={({ currentTarget }) => void set(currentTarget.checked)}
    />
    {name}
  </label>
);
