import type { ComponentChildren } from 'preact';
import type { Tone } from './tone.ts';

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);
