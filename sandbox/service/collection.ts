/** Told of each change: the new value and the one before, undefined where there is none. */
export type OnChange<Value> = (key: string, value: Value | undefined, previous: Value | undefined) => void;

/**
 * Values by key, in the order in which the keys were first set.
 *
 * Values are replaced and never altered, so that each change passes here: what the feed tells and what a data file
 * keeps cannot miss one.
 */
export class Collection<Value> extends Map<string, Value> {
  readonly #onChange: OnChange<Value>;

  constructor(onChange: OnChange<Value>) {
    super();
    this.#onChange = onChange;
  }

  override set(key: string, value: Value): this {
    const previous = this.get(key);
    super.set(key, value);
    this.#onChange(key, value, previous);
    return this;
  }

  override delete(key: string): boolean {
    const previous = this.get(key);
    const isKnown = super.delete(key);
    if (isKnown) this.#onChange(key, undefined, previous);
    return isKnown;
  }

  /** Puts back what a data file kept; nobody is told. */
  restore(key: string, value: Value): void {
    super.set(key, value);
  }
}
