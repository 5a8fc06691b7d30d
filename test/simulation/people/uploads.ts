/**
 * Clients who send a source in parts: each part until it is answered, then the whole, and what is told to be missing or
 * spoiled once more, until the source stands or is refused for what it is.
 */
import { completeUpload, putPart } from '../../../functions/ingest/upload.ts';
import { HttpError } from '../../../functions/io/http.ts';
import { HTTP } from '../../../schema/edges.ts';
import { sha256Of } from '../../../schema/ids.ts';
import type { SourceItem } from '../../../schema/source.ts';
import { completeBodySchema } from '../../../schema/source-api.ts';
import { Clients } from './clients.ts';
import type { PlannedIngest } from '../plans/plan.ts';
import { Random } from '../engine/random.ts';
import { bodyOf, storedOf } from '../plans/source-forms.ts';
import type { Change } from '../engine/tables.ts';
import { partsOf, type PlannedUpload } from '../plans/upload-plan.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const WHOLE = 'an upload stands whole or not at all';
const ROW_OF_SOURCE = /^(?:SOURCE#note#|EVIDENCE#incremental#note#)([^#]+)/;

/** One file on its way. */
interface Sending {
  readonly call: PlannedIngest;
  readonly upload: PlannedUpload;
  readonly parts: readonly Buffer[];
  readonly sha256: string;
  /** Parts that were answered; they are kept for a day. */
  readonly answered: Set<number>;
  /** It is completed, by this many executions. */
  completing: number;
  isDone: boolean;
}

export class UploadingClients extends Clients {
  readonly #world: World;
  readonly #random: Random;
  /** `scope id` → revisions that may stand. */
  readonly #revisions = new Map<string, Set<string>>();

  constructor(...given: ConstructorParameters<typeof Clients>) {
    super(...given);
    const [world] = given;
    this.#world = world;
    this.#random = new Random(world.plan.seed, 'uploading');
    for (const { scope, sources, upload } of world.plan.ingests) {
      if (!upload) continue;
      const known = this.#revisions.get(`${scope} ${upload.source.id}`) ?? new Set();
      for (const source of sources) known.add(storedOf(world.plan.seed, source).revision);
      this.#revisions.set(`${scope} ${upload.source.id}`, known);
    }
  }

  override ingest(call: PlannedIngest): void {
    const { upload } = call;
    if (!upload) return super.ingest(call);
    this.unanswered.add(call);
    const parts = partsOf(upload);
    const sha256 = sha256Of(parts);
    const sending: Sending = { call, upload, parts, sha256, answered: new Set(), completing: 0, isDone: false };
    this.#world.kernel.at(call.atMs, () => this.#begin(sending));
  }

  /** Each part as it is fated; those that are lost are thought to be sent. */
  #begin(sending: Sending): void {
    const { upload, parts } = sending;
    const sends = upload.order.flatMap((part): (readonly [part: number, bytes: Buffer])[] => {
      const bytes = parts[part];
      const fate = upload.fates[part];
      if (bytes === undefined || fate === 'lost') return [];
      if (fate === 'spoiled') return [[part, Buffer.from(bytes.map((byte) => byte ^ 1))]];
      return fate === 'twice'
        ? [
            [part, bytes],
            [part, bytes],
          ]
        : [[part, bytes]];
    });
    this.#putAll(sending, sends);
  }

  /** A moment apart; when all are answered, the whole is completed. */
  #putAll(sending: Sending, sends: readonly (readonly [part: number, bytes: Buffer])[]): void {
    let open = sends.length;
    const onAnswered = (): void => {
      open--;
      if (open === 0) this.#complete(sending);
    };
    for (const [part, bytes] of sends) {
      this.#world.kernel.after(this.#random.int(0, SECOND_MS), () => this.#put(sending, { part, bytes }, onAnswered));
    }
    if (open === 0) this.#complete(sending);
  }

  #againLater(send: () => void): () => void {
    return () => void this.#world.kernel.after(this.#random.int(1, 20) * SECOND_MS, send);
  }

  #put(sending: Sending, sent: { readonly part: number; readonly bytes: Buffer }, onAnswered: () => void): void {
    const { scope } = sending.call;
    const onFailure = this.#againLater(() => this.#put(sending, sent, onAnswered));
    const onSuccess = (): void => {
      sending.answered.add(sent.part);
      onAnswered();
    };
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure, onSuccess }, async (actor) => {
      const told = await putPart(this.#world.ingestDeps(actor), { ...this.#requestOf(sending), ...sent });
      if (told.part !== sent.part || told.sha256 !== sha256Of([sent.bytes]) || told.sizeBytes !== sent.bytes.length)
        this.#world.kernel.fail(WHOLE, `part ${sent.part} was taken for another: ${JSON.stringify(told)}`);
    });
  }

  #requestOf({ call, upload, sha256 }: Sending) {
    return { scope: call.scope, kind: 'note', id: upload.source.id, sha256 } as const;
  }

  #complete(sending: Sending): void {
    for (let k = sending.upload.isDoubled ? 2 : 1; k > 0; k--) this.#send(sending);
  }

  #send(sending: Sending): void {
    const { call, upload, parts } = sending;
    const { seed } = this.#world.plan;
    const { kind: _, id: __, text: ___, ...about } = bodyOf(seed, upload.source);
    const body = completeBodySchema.parse({ ...about, parts: parts.length });
    let answer: HttpError | undefined;
    sending.completing++;
    const onFailure = this.#againLater(() => {
      sending.completing--;
      this.#send(sending);
    });
    // Of two at once, who is answered last goes on: what both were told is sent once.
    const onSuccess = (): void => {
      sending.completing--;
      if (sending.completing === 0) this.#onAnswered(sending, answer);
    };
    const { scope } = call;
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'ingest', scope, timeoutMs, onFailure, onSuccess }, async (actor) => {
      try {
        const { outcome, revision } = await completeUpload(this.#world.ingestDeps(actor), {
          ...this.#requestOf(sending),
          body,
        });
        this.#world.count(`upload ${upload.encoding} ${outcome}`);
        sending.isDone = true;
        if (upload.refused !== undefined || revision !== storedOf(seed, upload.source).revision)
          this.#world.kernel.fail(WHOLE, `${upload.source.id} is taken as ${revision}, another than it is`);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        answer = error;
        this.#world.count(`upload ${upload.encoding} ${error.code}`);
      }
    });
  }

  /** Goes on with what an answer says; nothing stands by a refusal. */
  #onAnswered(sending: Sending, answer: HttpError | undefined): void {
    const { upload, parts, call } = sending;
    if (sending.isDone || (answer !== undefined && answer.code === upload.refused)) {
      this.unanswered.delete(call);
      return;
    }
    const wanted = this.#wantedOf(sending, answer);
    if (wanted.length === 0)
      this.#world.kernel.fail('each by itself', `${upload.source.id} is refused: ${answer?.message}`);
    this.#putAll(
      sending,
      wanted.map((part) => [part, parts[part] as Buffer]),
    );
  }

  /** The parts that an answer asks for. */
  #wantedOf({ upload, parts, answered }: Sending, answer: HttpError | undefined): readonly number[] {
    const { kernel } = this.#world;
    const { missing = [], parts: told = [] } = (answer?.details ?? {}) as {
      readonly missing?: readonly number[];
      readonly parts?: readonly { readonly part: number; readonly sha256: string }[];
    };
    if (answer?.code === 'parts_missing') {
      const kept = missing.filter((part) => answered.has(part));
      if (kept.length > 0) kernel.fail(WHOLE, `${upload.source.id}: parts ${kept.join()} were answered, and are gone`);
      return missing;
    }
    if (answer?.code !== 'sha256_differs') return [];
    return told.filter(({ part, sha256 }) => sha256 !== sha256Of([parts[part] as Buffer])).map(({ part }) => part);
  }

  /** After every write: what stands of an upload is one of the files that its owners have. */
  onChange({ table, pk, sk, after }: Change): void {
    if (this.#revisions.size === 0 || table !== 'control' || after === undefined) return;
    const id = ROW_OF_SOURCE.exec(sk)?.[1];
    const [, scope] = pk.split('#');
    const known = id === undefined ? undefined : this.#revisions.get(`${scope} ${decodeURIComponent(id)}`);
    const { revision } = after as unknown as SourceItem;
    if (known && !known.has(revision)) this.#world.kernel.fail(WHOLE, `${scope} ${sk} stands as ${revision}`);
  }

  /** When all is at rest: the newest of them stands. */
  checkUploads(): void {
    const { plan, tables, kernel } = this.#world;
    for (const { scope, sources, upload } of plan.ingests) {
      if (!upload || sources.length === 0) continue;
      const row = tables.peek(tables.partitionOf(scope), `SOURCE#note#${upload.source.id}`) as SourceItem | undefined;
      const { newestKey } = storedOf(plan.seed, upload.source);
      if (!row || row.newestKey < newestKey)
        kernel.fail(WHOLE, `${scope}: ${upload.source.id} was taken, and is not there`);
    }
  }
}
