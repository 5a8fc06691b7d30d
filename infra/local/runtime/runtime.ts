/**
 * The one-machine runtime: reads the synthesized template and wires the unmodified handlers to embedded services behind
 * one port, so that local and cloud share one definition (design section 15).
 */
import path from 'node:path';
import { createDynamoDb, type DynamoDb } from '../dynamodb/engine.ts';
import { createSqs, type SqsEngine } from '../sqs/engine.ts';
import type { QueueDepth } from '../sqs/queue.ts';
import { Activity } from './activity.ts';
import { AsyncInvocations } from './async-invocations.ts';
import type { Runtime, RuntimeOptions } from './contract.ts';
import { openDestinations, type SendToDestination } from './destination.ts';
import type { RunningInvocation } from './environment.ts';
import { type EventLog, openEventLog } from './event-log.ts';
import { type FaultControl, Faults } from './faults.ts';
import { FunctionPool } from './function-pool.ts';
import { allowEveryone } from './http-api.ts';
import { readRoutes } from './http-routes.ts';
import { type HttpServer, openServer } from './http-server.ts';
import { type Mapping, openMappings } from './mappings.ts';
import { RequestCounter, type RequestCounts } from './request-counts.ts';
import { routeRequests } from './request-router.ts';
import { checkStages, createQueues, createTables, readFunctions } from './resources.ts';
import { readSchedule, type Schedule } from './schedule.ts';
import { TemplateResolver } from './template.ts';

/** The parts that are opened before the template is read. */
interface Engines {
  readonly server: HttpServer;
  readonly dynamodb: DynamoDb;
  readonly sqs: SqsEngine;
  readonly eventLog: EventLog;
}

/** Everything that runs. */
interface Parts extends Engines {
  readonly activity: Activity;
  readonly pools: ReadonlyMap<string, FunctionPool>;
  readonly asyncInvocations: AsyncInvocations;
  readonly mappings: readonly Mapping[];
  readonly schedules: readonly Schedule[];
  readonly counter: RequestCounter;
  readonly faults: Faults;
  readonly tables: Readonly<Record<string, string>>;
  readonly queueNames: ReadonlyMap<string, string>;
  readonly now: () => number;
  readonly note: (line: string) => void;
}

type Log = (functionName: string, line: string) => void;

const ENVIRONMENTS_MAX = 20;
const MINUTE_MS = 60_000;
const STREAM_RETRY_MAX_MS = 30_000;
/** AWS deletes expired items within hours; here once a minute is soon enough, since nothing may wait for it. */
const TTL_SWEEP_MS = MINUTE_MS;
/** Ending a thread takes some 50 ms; one that does not end by then is left to the process. */
const STOP_TIMEOUT_MS = 1500;

/** Starts everything the template describes. Throws, with nothing left open, for what cannot be emulated. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const onLog = options.onLog ?? (() => {});
  const now = options.now ?? Date.now;
  const server = await openServer(options.host ?? '127.0.0.1', options.port ?? 0, (line) => onLog('runtime', line));
  const inFolder = (name: string) =>
    options.dataDir === undefined ? {} : { logPath: path.join(options.dataDir, name) };
  const opened: { close: () => unknown }[] = [server];
  const keep = <T extends { close: () => unknown }>(part: T): T => {
    opened.push(part);
    return part;
  };
  try {
    const dynamodb = keep(createDynamoDb({ now, ...inFolder('tables.jsonl') }));
    const sqs = keep(createSqs({ now, baseUrl: () => server.url, ...inFolder('queues.jsonl') }));
    const eventLog = keep(openEventLog(inFolder('events.jsonl').logPath));
    const runtime = new LocalRuntime(wireTemplate(options, { server, dynamodb, sqs, eventLog }, onLog, now));
    runtime.begin(options);
    return runtime;
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

function wireTemplate(options: RuntimeOptions, engines: Engines, onLog: Log, now: () => number): Parts {
  const { server, dynamodb, sqs, eventLog } = engines;
  const { template, parameters = {}, onRequest, authorize = allowEveryone } = options;
  const resolver = new TemplateResolver({ template, parameters, baseUrl: server.url });
  const note = (line: string) => onLog('runtime', line);
  const activity = new Activity();
  const onSettled = () => activity.settled();
  checkStages(resolver);
  const tables = createTables(dynamodb, resolver);
  const queueNames = createQueues(sqs, resolver);
  const faults = new Faults(options.faults ?? {}, (lagMs) => dynamodb.setIndexLag(lagMs));
  const pools = openPools(options, resolver, { endpointUrl: server.url, faults, onLog, onSettled });
  const sendToDestination = openDestinations(sqs, now, note);
  const retryDelayMs = options.retryDelayMs ?? delayLikeAws;
  const asyncInvocations = new AsyncInvocations({
    pools,
    configs: resolver.list('AWS::Lambda::EventInvokeConfig'),
    log: eventLog,
    delivery: faults.deliveries.event,
    now,
    sendToDestination,
    retryDelayMs: (attempt) => retryDelayMs('event', attempt),
    onSettled,
  });
  const schedules = openSchedules(resolver, pools, asyncInvocations, sendToDestination);
  const routes = readRoutes(resolver.list('AWS::ApiGatewayV2::Route'), resolver.list('AWS::ApiGatewayV2::Integration'));
  const counter = new RequestCounter();
  const mappings = openMappings({
    resources: resolver.list('AWS::Lambda::EventSourceMapping'),
    tables,
    pools,
    dynamodb,
    sqs,
    deliveries: faults.deliveries,
    now,
    sendToDestination,
    retryDelayMs: (attempt) => retryDelayMs('stream', attempt),
    onSettled,
  });
  for (const mapping of mappings) activity.register(() => mapping.isBusy);
  for (const pool of pools.values()) activity.register(() => !pool.isIdle);
  activity.register(() => asyncInvocations.pendingCount > 0);
  const lambda = { pools, asyncInvocations };
  server.setHandler(
    routeRequests({ dynamodb, sqs, lambda, http: { routes, pools, authorize, now }, counter, faults, onRequest }),
  );
  const tableNames = Object.fromEntries(tables.map(({ logicalId, name }) => [logicalId, name]));
  const parts = { activity, pools, asyncInvocations, mappings, schedules, counter, faults, queueNames, now, note };
  return { ...engines, ...parts, tables: tableNames };
}

interface PoolWiring {
  readonly endpointUrl: string;
  readonly faults: Faults;
  readonly onLog: Log;
  readonly onSettled: () => void;
}

function openPools(options: RuntimeOptions, resolver: TemplateResolver, wiring: PoolWiring): Map<string, FunctionPool> {
  const { environmentsMax = ENVIRONMENTS_MAX, root } = options;
  const pools = new Map<string, FunctionPool>();
  for (const definition of readFunctions(resolver, root)) {
    const max = typeof environmentsMax === 'number' ? environmentsMax : environmentsMax[definition.name];
    const environmentsLimit = Math.min(max ?? ENVIRONMENTS_MAX, definition.concurrencyMax);
    pools.set(definition.name, new FunctionPool({ definition, environmentsMax: environmentsLimit, ...wiring }));
  }
  return pools;
}

function openSchedules(
  resolver: TemplateResolver,
  pools: ReadonlyMap<string, FunctionPool>,
  asyncInvocations: AsyncInvocations,
  sendToDestination: SendToDestination,
): Schedule[] {
  const invoke = (functionName: string, qualifier: string | undefined, payload: string): Promise<void> => {
    if (!pools.has(functionName)) throw new Error(`A schedule targets ${functionName}, which has no local:entry.`);
    return asyncInvocations.accept(functionName, qualifier, payload).done;
  };
  const resources = resolver.list('AWS::Scheduler::Schedule');
  return resources.flatMap((schedule) => readSchedule({ schedule, invoke, sendToDestination }) ?? []);
}

/** AWS waits one minute, then two, before it tries an event again; a stream batch backs off within seconds. */
function delayLikeAws(edge: 'event' | 'stream', attempt: number): number {
  return edge === 'event' ? attempt * MINUTE_MS : Math.min(1000 * 2 ** (attempt - 1), STREAM_RETRY_MAX_MS);
}

class LocalRuntime implements Runtime {
  readonly url: string;
  readonly functions: readonly string[];
  readonly tables: Readonly<Record<string, string>>;
  readonly dynamodb: DynamoDb;
  readonly sqs: SqsEngine;
  readonly faults: FaultControl;
  readonly #parts: Parts;
  readonly #timers: NodeJS.Timeout[] = [];
  #stopped: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.url = parts.server.url;
    this.functions = [...parts.pools.keys()];
    this.tables = parts.tables;
    this.dynamodb = parts.dynamodb;
    this.sqs = parts.sqs;
    this.faults = parts.faults;
  }

  /** Takes up what an earlier process left and starts the clockwork. */
  begin({ schedules = 'automatic', tickAtStart = false }: RuntimeOptions): void {
    const { asyncInvocations, dynamodb } = this.#parts;
    asyncInvocations.resume();
    this.#timers.push(setInterval(() => dynamodb.sweepTtl(), TTL_SWEEP_MS));
    if (schedules === 'automatic') {
      for (const schedule of this.#parts.schedules) {
        this.#timers.push(setInterval(() => void this.#fire(schedule, this.#parts.now()), schedule.periodMs));
      }
    }
    for (const timer of this.#timers) timer.unref();
    if (tickAtStart) void this.tick();
  }

  get queues(): Readonly<Record<string, QueueDepth>> {
    const { queueNames, sqs } = this.#parts;
    const depths: Record<string, QueueDepth> = {};
    for (const [logicalId, name] of queueNames) {
      depths[logicalId] = sqs.queue(name)?.depth() ?? { visible: 0, inFlight: 0, delayed: 0 };
    }
    return depths;
  }

  get requests(): RequestCounts {
    return this.#parts.counter.snapshot();
  }

  resetRequests(): void {
    this.#parts.counter.reset();
  }

  async tick(timeMs = this.#parts.now()): Promise<void> {
    await Promise.all(this.#parts.schedules.map((schedule) => this.#fire(schedule, timeMs)));
  }

  terminate(functionName: string, match?: (invocation: RunningInvocation) => boolean): number {
    return this.#pool(functionName).terminate(match);
  }

  async warm(functionName: string, count: number): Promise<void> {
    await this.#pool(functionName).warm(count);
  }

  idle(): Promise<void> {
    return this.#parts.activity.idle();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #close(): Promise<void> {
    const { activity, mappings, asyncInvocations, faults, pools, server, sqs, dynamodb, eventLog } = this.#parts;
    for (const timer of this.#timers) clearInterval(timer);
    asyncInvocations.stop();
    for (const mapping of mappings) mapping.stop();
    faults.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_TIMEOUT_MS);
    });
    await Promise.race([Promise.all([...pools.values()].map((pool) => pool.close())), late]);
    clearTimeout(timer);
    await server.close();
    sqs.close();
    dynamodb.close();
    eventLog.close();
    activity.stop();
  }

  async #fire(schedule: Schedule, timeMs: number): Promise<void> {
    try {
      await schedule.fire(timeMs);
    } catch (error) {
      this.#parts.note(`Schedule ${schedule.name} could not be fired: ${String(error)}`);
    }
  }

  #pool(functionName: string): FunctionPool {
    const pool = this.#parts.pools.get(functionName);
    if (pool === undefined) {
      throw new Error(`There is no function ${functionName}. There are: ${this.functions.join(', ')}.`);
    }
    return pool;
  }
}
