import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEND_STATES, SEND_TRANSITIONS } from '../../../../lambdas/domain/send-transitions.ts';
import { architecturePage } from '../../../../lib/documents/send-states.ts';

const page = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8');

describe('docs/architecture.md', () => {
  it('shows the current states; "npm run schemas" writes them', () => {
    expect(page).toBe(architecturePage(page));
  });

  it('shows every state and every transition', () => {
    const [diagram = '', table = ''] = page.split('```mermaid\nstateDiagram-v2')[1]?.split('```') ?? [];
    for (const state of SEND_STATES) expect(diagram).toMatch(new RegExp(`\\b${state}\\b`));
    for (const name of Object.keys(SEND_TRANSITIONS)) {
      expect(diagram).toMatch(new RegExp(`\\b${name}\\b`));
      expect(table).toContain(`| \`${name}\` |`);
    }
  });

  it('names the markers when a page lacks them', () => {
    expect(() => architecturePage('# Architecture')).toThrow('states:start');
  });
});
