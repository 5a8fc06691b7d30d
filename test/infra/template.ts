/**
 * The synthesized template as the tests of `infra/` see it: plain objects, found by type or by a function's entry file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeTemplate } from '../../infra/synthesize.ts';
import type { FunctionName } from '../../schema/environment.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Metadata?: Record<string, unknown>;
}

export interface Template {
  readonly Resources: Record<string, Resource>;
  readonly Parameters: Record<string, { readonly Default?: unknown }>;
  readonly Outputs: Record<string, { readonly Value: unknown }>;
}

/** Synthesizes with this context into a folder that is removed again; returns the text of the template. */
export function synthesizeText(context: Record<string, unknown> = {}): string {
  const outdir = mkdtempSync(join(tmpdir(), 'nightjar-synth-'));
  try {
    return synthesizeTemplate(outdir, context).text;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** A template of its own for the caller, who may change it. */
export function loadTemplate(context: Record<string, unknown> = {}): Template {
  return JSON.parse(synthesizeText(context)) as Template;
}

export type Named = readonly [id: string, resource: Resource];

export function resourcesOf(template: Template, type: string): Named[] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** The logical id of a function, found by the file it runs. */
export function functionId(template: Template, name: FunctionName): string {
  const found = resourcesOf(template, 'AWS::Lambda::Function').find(
    ([, resource]) => resource.Metadata?.['local:entry'] === `functions/${name}/handler.ts`,
  );
  if (found === undefined) throw new Error(`The template has no function that runs functions/${name}/handler.ts.`);
  return found[0];
}

/** A path of property names through plain objects; undefined where it ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown> | undefined)?.[name], value);
}

/** `{ Ref }` and `{ Fn::GetAtt }` as one word: `Id` or `Id.Attribute`; joins are concatenated, literals stay. */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const ref = at(value, 'Ref');
  if (typeof ref === 'string') return ref;
  const attribute = at(value, 'Fn::GetAtt');
  if (Array.isArray(attribute)) return attribute.join('.');
  const joined = at(value, 'Fn::Join');
  if (Array.isArray(joined)) return (joined[1] as unknown[]).map(nameOf).join(String(joined[0]));
  throw new Error(`Neither a literal nor a reference: ${JSON.stringify(value)}`);
}

export interface Grant {
  readonly action: string;
  readonly resource: string;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Every pair of action and resource that the policies of this role allow. */
export function grantsOf(template: Template, roleId: string): Grant[] {
  return resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([, policy]) => (policy.Properties.Roles as unknown[]).map(nameOf).includes(roleId))
    .flatMap(([, policy]) => at(policy.Properties.PolicyDocument, 'Statement') as unknown[])
    .flatMap((statement) =>
      listOf(at(statement, 'Action')).flatMap((action) =>
        listOf(at(statement, 'Resource')).map((resource) => ({ action: String(action), resource: nameOf(resource) })),
      ),
    );
}

/** The logical id of the role a function runs under. */
export function roleOf(template: Template, functionLogicalId: string): string {
  return nameOf(template.Resources[functionLogicalId]?.Properties.Role).split('.')[0] as string;
}

/** Whether the function's role allows the action on the resource. */
export function mayDo(template: Template, functionLogicalId: string, action: string, resource: string): boolean {
  return grantsOf(template, roleOf(template, functionLogicalId)).some(
    (grant) => grant.action === action && grant.resource === resource,
  );
}
