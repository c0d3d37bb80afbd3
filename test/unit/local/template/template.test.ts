import { describe, expect, it } from 'vitest';
import { creationOrder, parseTemplate } from '../../../../local/template/template.ts';

describe('the creation order', () => {
  const template = (resources: Record<string, object>) => parseTemplate({ Resources: resources }).Resources;

  it('puts each resource after those that it references', () => {
    const order = creationOrder(
      template({
        Last: { Type: 'T', Properties: { a: { 'Fn::Sub': '${Middle.Arn}' } } },
        Middle: { Type: 'T', Properties: { a: [{ 'Fn::GetAtt': ['First', 'Arn'] }] } },
        First: { Type: 'T', DependsOn: 'Zeroth' },
        Zeroth: { Type: 'T' },
      }),
    );

    expect(order).toEqual(['Zeroth', 'First', 'Middle', 'Last']);
  });

  it('rejects a circular reference', () => {
    const circle = template({
      A: { Type: 'T', Properties: { b: { Ref: 'B' } } },
      B: { Type: 'T', Properties: { a: { Ref: 'A' } } },
    });

    expect(() => creationOrder(circle)).toThrow('circular reference: A → B → A');
  });

  it('rejects a dependency on a missing resource', () => {
    expect(() => creationOrder(template({ A: { Type: 'T', DependsOn: ['B'] } }))).toThrow('A (T) depends on B');
  });
});

describe('a template', () => {
  it('is rejected if a resource has an unsupported attribute', () => {
    const unsupported = { Resources: { A: { Type: 'T', CreationPolicy: {} } } };

    expect(() => parseTemplate(unsupported)).toThrow(/Resources\.A: .*CreationPolicy/);
  });

  it('is rejected if it has an unsupported section', () => {
    expect(() => parseTemplate({ Resources: {}, Transform: 'AWS::Serverless' })).toThrow('Transform');
  });
});
