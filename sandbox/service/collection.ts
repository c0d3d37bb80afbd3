import type { ChatMessage } from './model.ts';

/** Called with each change: the new value and the previous one, undefined where there is none. */
export type OnChange<Value> = (key: string, value: Value | undefined, previous: Value | undefined) => void;

/**
 * Values by key, in the order in which the keys were first set.
 *
 * Values are replaced, never mutated, so that every change passes through here and reaches the feed and the data file.
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

  /** Sets an initial or stored value without calling `onChange`. */
  restore(key: string, value: Value): void {
    super.set(key, value);
  }
}

/** Every message by its id, oldest first, with an index of each user's messages in the same order. */
export class MessageCollection extends Collection<ChatMessage> {
  readonly #idsByContact = new Map<string, string[]>();

  override set(id: string, message: ChatMessage): this {
    this.#index(id, message);
    return super.set(id, message);
  }

  override restore(id: string, message: ChatMessage): void {
    this.#index(id, message);
    super.restore(id, message);
  }

  /** Returns the messages between the business and the user with this key, oldest first. */
  of(contactKey: string): ChatMessage[] {
    const ids = this.#idsByContact.get(contactKey) ?? [];
    return ids.flatMap((id) => this.get(id) ?? []);
  }

  /** Returns the latest message from or to the user with this key. */
  latestOf(contactKey: string): ChatMessage | undefined {
    return this.get(this.#idsByContact.get(contactKey)?.at(-1) ?? '');
  }

  #index(id: string, { contactKey }: ChatMessage): void {
    if (this.has(id)) return;
    const ids = this.#idsByContact.get(contactKey);
    if (ids === undefined) this.#idsByContact.set(contactKey, [id]);
    else ids.push(id);
  }
}
