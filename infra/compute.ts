/**
 * The eight functions with their environment and their rights on the tables.
 */
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ERASE, HTTP, STREAM, TRIGGERS, WORK } from '../schema/edges.ts';
import { ENVIRONMENT, FUNCTION_ENVIRONMENT, type FunctionName, type PARAMETERS } from '../schema/environment.ts';
import { type Deployment, FUNCTION_NAMES } from './deployment.ts';
import { createFunction, type FunctionShape } from './function.ts';
import { grantTables } from './grants.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';

export type Functions = Readonly<Record<FunctionName, LambdaFunction>>;
export type ParameterValues = Readonly<Record<keyof typeof PARAMETERS, string>>;

/** Lambda gives CPU by memory; 512 MiB is where loading the SDK stops dominating a short invocation. */
const BACKGROUND_MEMORY_MIB = 512;

/**
 * Completing an upload of 16 MiB holds its bytes, its text and its turns at once: a process of 490 MB, seen, that computed
 * for 4 s with the tables' engine in it. At 1,769 MiB a function has one whole CPU; at 512 MiB, a third of one, the 10 s of
 * the route would not do.
 */
const INGEST_MEMORY_MIB = 1769;

const SHAPES: Record<FunctionName, FunctionShape> = {
  ingest: {
    timeoutS: HTTP.timeoutS,
    memoryMiB: INGEST_MEMORY_MIB,
    description: 'Takes sources in and puts their evidence in the queue',
  },
  trigger: {
    timeoutS: HTTP.timeoutS,
    memoryMiB: HTTP.memoryMiB,
    description: 'Asks for passes of a scope and tells what came of it',
  },
  reader: {
    timeoutS: HTTP.timeoutS,
    memoryMiB: HTTP.memoryMiB,
    description: 'Answers questions about claims, passes, sources and status',
  },
  curator: {
    timeoutS: HTTP.timeoutS,
    memoryMiB: HTTP.memoryMiB,
    description: 'Writes what a person says to the memory: corrections, undo, merges, imports',
  },
  eraser: {
    // By schedule it goes on for longer than a caller would wait; a call ends itself within the time of the others.
    timeoutS: ERASE.functionTimeoutS,
    memoryMiB: HTTP.memoryMiB,
    description: 'Erases sources, scopes and claims, and looks again until nothing of them can come back',
  },
  scheduler: {
    timeoutS: TRIGGERS.functionTimeoutS,
    memoryMiB: BACKGROUND_MEMORY_MIB,
    description: 'Sweeps, then admits passes',
  },
  worker: {
    timeoutS: WORK.functionTimeoutS,
    memoryMiB: WORK.memoryMiB,
    description: 'Runs one pass over leased evidence',
  },
  finalizer: {
    timeoutS: STREAM.functionTimeoutS,
    memoryMiB: BACKGROUND_MEMORY_MIB,
    description: 'Settles a terminal pass and releases what it held',
  },
};

export interface ComputeProps {
  readonly deployment: Deployment;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly parameters: ParameterValues;
}

export class Compute extends Construct {
  readonly functions: Functions;

  constructor(scope: Construct, id: string, props: ComputeProps) {
    super(scope, id);
    this.functions = Object.fromEntries(
      FUNCTION_NAMES.map((name) => [name, createFunction(this, name, SHAPES[name], props.deployment)]),
    ) as Record<FunctionName, LambdaFunction>;
    this.#setEnvironment(props);
    grantTables(this.functions, props.storage);
  }

  #setEnvironment({ storage, queues, parameters }: ComputeProps): void {
    const values: Record<keyof typeof ENVIRONMENT, string> = {
      controlTable: storage.control.tableName,
      textTable: storage.text.tableName,
      triggersQueueUrl: queues.triggers.queueUrl,
      workerFunction: this.functions.worker.functionName,
      ...parameters,
    };
    for (const name of FUNCTION_NAMES) {
      for (const variable of FUNCTION_ENVIRONMENT[name]) {
        this.functions[name].addEnvironment(ENVIRONMENT[variable], values[variable]);
      }
    }
  }
}
