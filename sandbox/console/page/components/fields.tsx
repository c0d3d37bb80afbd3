import type { ComponentChildren, ComponentProps } from 'preact';

interface FieldProps {
  readonly label: ComponentChildren;
  /** Whether it fills the rest of its row. */
  readonly grow?: boolean;
  readonly children?: ComponentChildren;
}

interface TextProps
  extends FieldProps,
    Omit<ComponentProps<'input'>, keyof FieldProps | 'onInput' | 'role' | 'list' | 'type'> {
  readonly onText: (text: string) => void;
}

/** A text field under its label, and what follows it. */
export const TextField = ({ label, grow, children, onText, ...input }: TextProps) => (
  <label class={grow ? 'field grow' : 'field'}>
    {label}
    <input {...input} onInput={({ currentTarget }) => onText(currentTarget.value)} />
    {children}
  </label>
);

interface SelectProps
  extends FieldProps,
    Omit<ComponentProps<'select'>, keyof FieldProps | 'onChange' | 'role' | 'size'> {
  /** More options, after those in `children`. */
  readonly options?: readonly string[];
  readonly onChoose: (value: string) => void;
}

/** A choice under its label. */
export const SelectField = ({ label, grow, children, options = [], onChoose, ...select }: SelectProps) => (
  <label class={grow ? 'field grow' : 'field'}>
    {label}
    <select {...select} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {children}
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  </label>
);
