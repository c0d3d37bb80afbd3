import { describe, expect, it } from 'vitest';
import { fillTemplate, SAMPLE_TEMPLATE, variablesOf } from '../../../../sandbox/console/page/state/templates.ts';

describe("a template's variables", () => {
  it('are named once each, in order of appearance', () => {
    expect(variablesOf('${name}: order ${order id} for ${name}, $5 {off} ${}')).toEqual(['name', 'order id']);
    expect(variablesOf(SAMPLE_TEMPLATE.content.text)).toEqual(['name']);
  });

  it('are replaced by their values, or stay where there is none', () => {
    const values = new Map([
      ['name', 'Ana $& ${order}'],
      ['order', ''],
    ]);

    expect(fillTemplate('Hello ${name}: ${order}, ${toString}', values)).toBe(
      'Hello Ana $& ${order}: ${order}, ${toString}',
    );
  });
});
