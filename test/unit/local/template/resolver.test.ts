import { describe, expect, it } from 'vitest';
import { conditionHolds, type ResolverContext, resolve } from '../../../../local/template/resolver.ts';

const context: ResolverContext = {
  resources: new Map([
    ['Queue', { ref: 'http://127.0.0.1:1/queue', attributes: { Arn: 'arn:aws:sqs:us-east-1:000000000000:queue' } }],
  ]),
  pseudoParameters: { 'AWS::Region': 'us-east-1' },
  conditions: { Always: { 'Fn::Equals': ['a', 'a'] }, Never: { 'Fn::Not': [{ Condition: 'Always' }] } },
  localUrls: new Map([['https://api.execute-api.us-east-1.amazonaws.com', 'http://127.0.0.1:2']]),
};
const resolved = (value: unknown): unknown => resolve(value, 'Thing (AWS::Some::Thing).Property', context);

describe('the resolver', () => {
  it.each([
    ['a plain value', { a: [1, true, 'x'] }, { a: [1, true, 'x'] }],
    ['Ref of a resource', { Ref: 'Queue' }, 'http://127.0.0.1:1/queue'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['AWS::NoValue by removing its property', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:queue'],
    ['Fn::GetAtt as a string', { 'Fn::GetAtt': 'Queue.Arn' }, 'arn:aws:sqs:us-east-1:000000000000:queue'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, 2]] }, 'a-us-east-1-2'],
    [
      'Fn::Sub',
      { 'Fn::Sub': '${AWS::Region}/${Queue.Arn}/${!kept}' },
      'us-east-1/arn:aws:sqs:us-east-1:000000000000:queue/${kept}',
    ],
    ['Fn::Sub with its own variables', { 'Fn::Sub': ['${a}b', { a: { Ref: 'AWS::Region' } }] }, 'us-east-1b'],
    ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    ['Fn::If of a condition that holds', { 'Fn::If': ['Always', 1, 2] }, 1],
    ['Fn::If of one that does not', { 'Fn::If': ['Never', 1, 2] }, 2],
    [
      'the URL of a deployed API',
      { 'Fn::Join': ['', ['https://api.execute-api.us-east-1.amazonaws.com', '/webhook']] },
      'http://127.0.0.1:2/webhook',
    ],
  ])('resolves %s', (_name, value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  it.each([
    [
      'an unsupported intrinsic',
      { 'Fn::Cidr': ['10.0.0.0/16', 1] },
      'does not support the intrinsic function Fn::Cidr',
    ],
    ['an unknown reference', { Ref: 'Nothing' }, 'Ref names Nothing'],
    ['an unsupported attribute', { 'Fn::GetAtt': ['Queue', 'Color'] }, 'does not support the attribute Color of Queue'],
    ['an unknown condition', { 'Fn::If': ['Unknown', 1, 2] }, 'no condition "Unknown"'],
    ['a malformed Fn::Join', { 'Fn::Join': 'a' }, 'Fn::Join is malformed'],
    ['an index that is not in the list', { 'Fn::Select': [3, ['a']] }, 'Fn::Select has an index'],
  ])('rejects %s and names the place', (_name, value, message) => {
    const resolving = () => resolved({ deep: [value] });

    expect(resolving).toThrow(message);
    expect(resolving).toThrow('Thing (AWS::Some::Thing).Property.deep[0]');
  });

  it('rejects an unsupported condition', () => {
    expect(() => conditionHolds({ 'Fn::Like': ['a', 'b'] }, 'Thing', context)).toThrow(
      'does not support the condition',
    );
  });
});
