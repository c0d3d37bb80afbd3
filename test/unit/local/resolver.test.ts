import { describe, expect, it } from 'vitest';
import { creationOrder } from '../../../local/template/references.ts';
import { conditionHolds, type ResolverContext, resolve } from '../../../local/template/resolver.ts';
import { parseTemplate } from '../../../local/template/template.ts';

const context: ResolverContext = {
  resources: new Map([
    ['Queue', { ref: 'http://127.0.0.1:1/queue', attributes: { Arn: 'arn:aws:sqs:us-east-1:000000000000:queue' } }],
  ]),
  pseudoParameters: { 'AWS::Region': 'us-east-1' },
  conditions: { Always: { 'Fn::Equals': ['a', 'a'] }, Never: { 'Fn::Not': [{ Condition: 'Always' }] } },
  localAddresses: new Map([['https://api.execute-api.us-east-1.amazonaws.com', 'http://127.0.0.1:2']]),
};
const resolved = (value: unknown): unknown => resolve(value, 'Thing (AWS::Some::Thing).Property', context);

describe('the resolver', () => {
  it.each([
    ['a plain value', { a: [1, true, 'x'] }, { a: [1, true, 'x'] }],
    ['Ref of a resource', { Ref: 'Queue' }, 'http://127.0.0.1:1/queue'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['AWS::NoValue, which takes its property away', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:queue'],
    ['Fn::GetAtt as a text', { 'Fn::GetAtt': 'Queue.Arn' }, 'arn:aws:sqs:us-east-1:000000000000:queue'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, 2]] }, 'a-us-east-1-2'],
    [
      'Fn::Sub',
      { 'Fn::Sub': '${AWS::Region}/${Queue.Arn}/${!kept}' },
      'us-east-1/arn:aws:sqs:us-east-1:000000000000:queue/${kept}',
    ],
    ['Fn::Sub with its own names', { 'Fn::Sub': ['${a}b', { a: { Ref: 'AWS::Region' } }] }, 'us-east-1b'],
    ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    ['Fn::If of a condition that holds', { 'Fn::If': ['Always', 1, 2] }, 1],
    ['Fn::If of one that does not', { 'Fn::If': ['Never', 1, 2] }, 2],
    [
      'an address of the deployed API',
      { 'Fn::Join': ['', ['https://api.execute-api.us-east-1.amazonaws.com', '/webhook']] },
      'http://127.0.0.1:2/webhook',
    ],
  ])('resolves %s', (_name, value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  it.each([
    [
      'an intrinsic that it does not know',
      { 'Fn::Cidr': ['10.0.0.0/16', 1] },
      'does not know the intrinsic function Fn::Cidr',
    ],
    ['a reference to nothing', { Ref: 'Nothing' }, 'Ref names Nothing'],
    [
      'an attribute that it does not know',
      { 'Fn::GetAtt': ['Queue', 'Colour'] },
      'does not know the attribute Colour of Queue',
    ],
    ['a condition that is not there', { 'Fn::If': ['Unheard', 1, 2] }, 'no condition "Unheard"'],
    ['a malformed Fn::Join', { 'Fn::Join': 'a' }, 'Fn::Join is not written as CloudFormation asks'],
    ['an item that a list does not have', { 'Fn::Select': [3, ['a']] }, 'Fn::Select asks for an item'],
  ])('refuses %s, and names the place', (_name, value, sentence) => {
    const refused = () => resolved({ deep: [value] });

    expect(refused).toThrow(sentence);
    expect(refused).toThrow('Thing (AWS::Some::Thing).Property.deep[0]');
  });

  it('refuses a condition that it does not know', () => {
    expect(() => conditionHolds({ 'Fn::Like': ['a', 'b'] }, 'Thing', context)).toThrow('does not know the condition');
  });
});

describe('the order of creation', () => {
  const template = (resources: Record<string, object>) => parseTemplate({ Resources: resources }).Resources;

  it('puts each resource after all that it refers to', () => {
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

  it('refuses resources that wait for each other', () => {
    const circle = template({
      A: { Type: 'T', Properties: { b: { Ref: 'B' } } },
      B: { Type: 'T', Properties: { a: { Ref: 'A' } } },
    });

    expect(() => creationOrder(circle)).toThrow('wait for each other: A → B → A');
  });

  it('refuses to depend on what is not there', () => {
    expect(() => creationOrder(template({ A: { Type: 'T', DependsOn: ['B'] } }))).toThrow('A (T) depends on B');
  });
});

describe('a template', () => {
  it('is refused with an attribute of a resource that is not known', () => {
    const unknown = { Resources: { A: { Type: 'T', CreationPolicy: {} } } };

    expect(() => parseTemplate(unknown)).toThrow(/Resources\.A: .*CreationPolicy/);
  });

  it('is refused with a section that is not known', () => {
    expect(() => parseTemplate({ Resources: {}, Transform: 'AWS::Serverless' })).toThrow('Transform');
  });
});
