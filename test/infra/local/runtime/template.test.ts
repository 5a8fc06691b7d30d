/** The template resolver: every intrinsic it knows, and a named refusal for what it does not. */
import { describe, expect, it } from 'vitest';
import { parseFunctionReference, type Template, TemplateResolver } from '../../../../infra/local/runtime/template.ts';

const BASE_URL = 'http://127.0.0.1:4000';

function resolve(
  value: unknown,
  resources: Template['Resources'] = {},
  parameters: Record<string, string> = {},
): unknown {
  const template: Template = {
    Parameters: {
      Mode: { Type: 'String', Default: 'rules' },
      Bare: { Type: 'String' },
      Version: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/a/b' },
    },
    Resources: { Subject: { Type: 'Test::Subject', Properties: { value } }, ...resources },
  };
  return new TemplateResolver({ template, parameters, baseUrl: BASE_URL }).list('Test::Subject')[0]?.properties.value;
}

const QUEUE = { Q: { Type: 'AWS::SQS::Queue' } };
const WORKER = {
  Fn: { Type: 'AWS::Lambda::Function', Metadata: { 'local:entry': 'functions/worker/handler.ts' } },
  Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Fn' }, Name: 'live' } },
};
const TABLE = { T: { Type: 'AWS::DynamoDB::GlobalTable' } };

describe('a template value', () => {
  it.each<[string, unknown, Template['Resources'], unknown]>([
    ['a literal', { a: [1, 'b', null] }, {}, { a: [1, 'b', null] }],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, {}, 'us-east-1'],
    ['a parameter by default', { Ref: 'Mode' }, {}, 'rules'],
    ['a queue by reference', { Ref: 'Q' }, QUEUE, `${BASE_URL}/000000000000/Q`],
    ['a queue by ARN', { 'Fn::GetAtt': ['Q', 'Arn'] }, QUEUE, 'arn:aws:sqs:us-east-1:000000000000:Q'],
    ['a queue by name', { 'Fn::GetAtt': 'Q.QueueName' }, QUEUE, 'Q'],
    ['a function by the folder of its source', { Ref: 'Fn' }, WORKER, 'worker'],
    [
      'a function by ARN',
      { 'Fn::GetAtt': ['Fn', 'Arn'] },
      WORKER,
      'arn:aws:lambda:us-east-1:000000000000:function:worker',
    ],
    ['an alias', { Ref: 'Live' }, WORKER, 'arn:aws:lambda:us-east-1:000000000000:function:worker:live'],
    ['a table', { Ref: 'T' }, TABLE, 'T'],
    [
      'a stream',
      { 'Fn::GetAtt': ['T', 'StreamArn'] },
      TABLE,
      'arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/local',
    ],
    ['a join', { 'Fn::Join': ['-', ['a', { Ref: 'Mode' }]] }, {}, 'a-rules'],
    ['a selection from a split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, {}, 'b'],
    [
      'a substitution',
      { 'Fn::Sub': '${AWS::Partition}/${Q.Arn}/${!Raw}' },
      QUEUE,
      'aws/arn:aws:sqs:us-east-1:000000000000:Q/${Raw}',
    ],
    ['a substitution with its own values', { 'Fn::Sub': ['${x}-${Mode}', { x: { Ref: 'T' } }] }, TABLE, 'T-rules'],
  ])('%s is resolved', (_, value, resources, expected) => {
    expect(resolve(value, resources)).toEqual(expected);
  });

  it('takes a given parameter instead of the default', () => {
    expect(resolve({ Ref: 'Mode' }, {}, { Mode: 'stub' })).toBe('stub');
    expect(resolve({ Ref: 'Version' }, {}, { Version: '3' })).toBe('3');
  });

  it.each<[unknown, RegExp]>([
    [{ 'Fn::If': ['A', 1, 2] }, /Subject uses Fn::If, which is not emulated\. Known: Ref/],
    [{ 'Fn::ImportValue': 'x' }, /Subject uses Fn::ImportValue/],
    [{ Ref: 'Nothing' }, /Subject refers to Nothing/],
    [{ Ref: 'Bare' }, /neither a resource nor a parameter with a value/],
    [{ Ref: 'Version' }, /parameter Version of type AWS::SSM/],
    [{ 'Fn::GetAtt': ['Nothing', 'Arn'] }, /no resource Nothing/],
    [{ 'Fn::GetAtt': ['Q', 'Colour'] }, /asks for Colour of Q \(AWS::SQS::Queue\)/],
  ])('%j is refused by name', (value, message) => {
    expect(() => resolve(value, QUEUE)).toThrow(message);
  });

  it('is not looked at before it is read', () => {
    const properties = { FunctionName: 'f', LoggingConfig: { LogGroup: { 'Fn::GetAtt': ['Elsewhere', 'Arn'] } } };
    const template: Template = { Resources: { Fn: { Type: 'AWS::Lambda::Function', Properties: properties } } };
    const [resource] = new TemplateResolver({ template, baseUrl: BASE_URL }).list('AWS::Lambda::Function');
    expect(resource?.properties.FunctionName).toBe('f');
    expect(() => resource?.properties.LoggingConfig).toThrow(/no resource Elsewhere/);
  });

  it('is not looked at in a resource nobody asks for', () => {
    expect(resolve('x', { Other: { Type: 'AWS::IAM::Role', Properties: { a: { 'Fn::Cidr': [] } } } })).toBe('x');
  });
});

describe('a resource', () => {
  const list = (resources: Template['Resources'], type: string, parameters = {}) =>
    new TemplateResolver({ template: { Resources: resources }, parameters, baseUrl: BASE_URL }).list(type);

  it('of two functions with one source is named by its logical id', () => {
    const twin = { Type: 'AWS::Lambda::Function', Metadata: { 'local:entry': 'functions/worker/handler.ts' } };
    expect(list({ A: twin, B: twin }, 'AWS::Lambda::Function').map(({ name }) => name)).toEqual(['A', 'B']);
  });

  it('under a condition, and a parameter the template does not have, are refused', () => {
    expect(() => list({ A: { Type: 'AWS::SQS::Queue', Condition: 'IsProd' } }, 'AWS::SQS::Queue')).toThrow(
      /condition IsProd/,
    );
    expect(() => list({}, 'AWS::SQS::Queue', { Stub: '1' })).toThrow(/no parameter Stub/);
  });
});

describe('a function reference', () => {
  it.each([
    ['worker', 'worker', undefined],
    ['worker:live', 'worker', 'live'],
    ['arn:aws:lambda:us-east-1:000000000000:function:worker', 'worker', undefined],
    ['000000000000:function:worker:live', 'worker', 'live'],
  ])('%s is split', (reference, name, qualifier) => {
    expect(parseFunctionReference(reference)).toEqual({ name, qualifier });
  });
});
