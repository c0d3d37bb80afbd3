import type { ChatMessage } from './chat-message.ts';
import { Collection } from './collection.ts';

/** Every message by its id, oldest first, and each user's in the same order. */
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

  /** What the user of this key and the business wrote to each other, oldest first. */
  of(contactKey: string): ChatMessage[] {
    const ids = this.#idsByContact.get(contactKey) ?? [];
    return ids.flatMap((id) => this.get(id) ?? []);
  }

  /** The latest message of or to the user of this key. */
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
