/**
 * The only door to dynalite 4.0.0 (Apache-2.0): its request checks and its expression parsers, both pure functions.
 *
 * Nothing of its store is used. dynalite ships no types and no `exports` map; the narrow types below cover what is
 * called, and the version is pinned exactly because these are its inner files.
 */
import { createRequire } from 'node:module';
import type { AttributeValue } from './attribute-value.ts';
import { validationFault } from './fault.ts';

/** A document path as it is parsed: numbers are places in lists. */
export type ParsedPath = readonly (string | number)[];

/**
 * A parsed operand or condition: a document path, a value of the request (the very object), or a node with arguments.
 */
export type Tree = ParsedPath | AttributeValue | NodeTree;

export interface NodeTree {
  readonly type: string;
  readonly name?: string;
  readonly args: readonly Tree[];
}

export interface UpdateSectionTree {
  readonly type: 'set' | 'remove' | 'add' | 'delete';
  readonly path: ParsedPath;
  readonly val?: Tree;
}

/** By the first step of a path: whether it is used with more steps, or used at all. */
type PathHeads = Readonly<Record<string, boolean>>;

interface ConditionTree {
  readonly expression: Tree;
  readonly nestedPaths: PathHeads;
  readonly pathHeads: PathHeads;
}

export interface KeyConditionTree {
  readonly ComparisonOperator: string;
  readonly AttributeValueList: readonly AttributeValue[];
}

/** A request after `checkTypes`, and what `validateExpressions` adds to it. */
export interface CheckedRequest {
  readonly [parameter: string]: unknown;
  readonly _updates?: {
    readonly sections: readonly UpdateSectionTree[];
    readonly paths: readonly ParsedPath[];
    readonly nestedPaths: PathHeads;
  };
  readonly _condition?: ConditionTree;
  readonly _keyCondition?: ConditionTree;
  readonly _filter?: ConditionTree;
  readonly _projection?: { readonly paths: readonly ParsedPath[]; readonly nestedPaths: PathHeads };
}

export interface OperationCheck {
  readonly types: Readonly<Record<string, unknown>>;
  readonly custom?: (request: CheckedRequest) => string | undefined;
}

interface Validations {
  /**
   * Throws an error with a `body`; deletes unknown parameters from `request`, which is why callers hand over their own
   * copy.
   */
  checkTypes(request: Record<string, unknown>, types: OperationCheck['types']): CheckedRequest;
  /** Throws an error with a `body`. */
  checkValidations(request: CheckedRequest, types: OperationCheck['types'], custom: OperationCheck['custom']): void;
  /** A message, or undefined. Rewrites numbers in place to their canonical text. */
  validateAttributeValue(value: AttributeValue): string | undefined;
  validateExpressionParams(request: CheckedRequest, expressions: string[], legacy: string[]): string | undefined;
  validateExpressions(request: CheckedRequest): string | undefined;
  convertKeyCondition(expression: Tree): Record<string, KeyConditionTree> | string;
  validateConditions(conditions: Record<string, KeyConditionTree>): string | undefined;
}

const require = createRequire(import.meta.url);

export const validations = require('dynalite/validations') as Validations;

/** The parameter types of one operation, for instance `putItem`. */
export function loadOperationCheck(operation: string): OperationCheck {
  return require(`dynalite/validations/${operation[0]?.toLowerCase()}${operation.slice(1)}`) as OperationCheck;
}

/** dynalite reports most refusals as a message. */
export function throwIfRefused(message: string | null | undefined): void {
  if (typeof message === 'string' && message !== '') throw validationFault(message);
}
