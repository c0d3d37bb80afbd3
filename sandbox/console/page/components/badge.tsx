import type { ComponentChildren } from 'preact';
import { type Tone, toneOf } from './tone.ts';

export { type Tone, toneOf };

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);
