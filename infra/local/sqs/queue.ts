/**
 * One standard queue: which messages are ready, which are hidden (delayed or in flight) and until when.
 *
 * Ready messages stand in arrival order; hidden ones wait for one timer, set to the earliest of them. Everything is
 * synchronous: a message is taken, and its visibility decided, in the turn in which it is handed out.
 */
import type { QueueSettings } from './attributes.ts';
import { invalidValue, SqsFault } from './fault.ts';
import { type Delivery, type Message, parseHandle, type QueueChange } from './message.ts';

/** How many messages of a queue wait, are being worked on, or are not due yet. */
export interface QueueDepth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface QueueOptions {
  readonly name: string;
  readonly arn: string;
  readonly settings: QueueSettings;
  readonly now: () => number;
  /** Told of every change, in order, for the journal. */
  readonly record: (change: QueueChange) => void;
  /** Hands a message over to the queue with this ARN; false when there is none. */
  readonly deadLetter: (arn: string, message: Message) => boolean;
}

/** Node's timers take at most this many milliseconds. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const NEVER_MS = Number.POSITIVE_INFINITY;

export class Queue {
  readonly name: string;
  readonly arn: string;
  settings: QueueSettings;
  readonly #options: QueueOptions;
  readonly #ready = new Map<string, Message>();
  readonly #hidden = new Map<string, Message>();
  readonly #listeners = new Set<() => void>();
  #earliestMs = NEVER_MS;
  #timer: NodeJS.Timeout | undefined;
  #isAnnouncing = false;
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.arn = options.arn;
    this.settings = options.settings;
    this.#options = options;
  }

  put(message: Message): void {
    this.#options.record(['put', this.name, message]);
    this.restore(message);
  }

  /** Stands up a message that the journal already knows. */
  restore(message: Message): void {
    if (message.visibleAtMs > this.#options.now()) {
      this.#hidden.set(message.id, message);
      this.#arm(message.visibleAtMs);
    } else {
      this.#ready.set(message.id, message);
      this.#announce();
    }
  }

  /** Takes up to `max` ready messages and hides them for `visibilityMs` (default: the queue's visibility now). */
  take(max: number, visibilityMs = this.settings.visibilityTimeoutS * 1000): Message[] {
    const nowMs = this.#options.now();
    if (nowMs >= this.#earliestMs) this.reconsider();
    const taken: Message[] = [];
    for (const message of this.#ready.values()) {
      if (taken.length >= max) break;
      if (this.#isSpent(message, nowMs)) {
        this.#drop(message);
        continue;
      }
      this.#ready.delete(message.id);
      taken.push({
        ...message,
        receiveCount: message.receiveCount + 1,
        takeCount: message.takeCount + 1,
        firstReceivedAtMs: message.firstReceivedAtMs || nowMs,
        visibleAtMs: nowMs + visibilityMs,
      });
    }
    // Stood up only after the loop: with a visibility of 0 a message must not be taken twice by one request.
    for (const message of taken) this.#deliver(message);
    return taken;
  }

  /** Deletes the message a receipt handle names. A handle of an earlier receive deletes nothing, without an error. */
  remove(handle: unknown): void {
    const message = this.#find(handle);
    if (message !== undefined) this.#drop(message);
  }

  /** Hides an in-flight message for another `visibilityMs`, or shows it again (0). */
  hide(handle: unknown, visibilityMs: number): void {
    const message = this.#find(handle);
    if (message === undefined) {
      throw invalidValue(
        `Value ${String(handle)} for parameter ReceiptHandle is invalid. Reason: the message was deleted or received again since.`,
      );
    }
    const nowMs = this.#options.now();
    if (!this.#hidden.has(message.id) || message.visibleAtMs <= nowMs) {
      throw new SqsFault('MessageNotInflight', 'The message referred to is not in flight.');
    }
    this.#hidden.delete(message.id);
    this.#deliver({ ...message, visibleAtMs: nowMs + visibilityMs });
  }

  /** Removes and returns the visible messages, for a redrive. */
  drain(): Message[] {
    const visible = [...this.#ready.values()];
    for (const message of visible) this.#drop(message);
    return visible;
  }

  purge(): void {
    this.#ready.clear();
    this.#hidden.clear();
    this.#options.record(['purge', this.name]);
  }

  depth(): QueueDepth {
    const nowMs = this.#options.now();
    let inFlight = 0;
    let delayed = 0;
    for (const message of this.#hidden.values()) {
      if (message.visibleAtMs <= nowMs) continue;
      if (message.takeCount > 0) inFlight += 1;
      else delayed += 1;
    }
    return { visible: this.#ready.size + this.#hidden.size - inFlight - delayed, inFlight, delayed };
  }

  *messages(): IterableIterator<Message> {
    yield* this.#ready.values();
    yield* this.#hidden.values();
  }

  get messageCount(): number {
    return this.#ready.size + this.#hidden.size;
  }

  /** Calls the listener whenever messages have become visible, at most once per turn; returns how to stop. */
  onAvailable(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#ready.size > 0) this.#announce();
    return () => this.#listeners.delete(listener);
  }

  /** Looks at the clock again: when the timer fires, or when a clock was moved by hand. */
  reconsider(): void {
    const nowMs = this.#options.now();
    this.#earliestMs = NEVER_MS;
    clearTimeout(this.#timer);
    let nextMs = NEVER_MS;
    for (const message of this.#hidden.values()) {
      if (message.visibleAtMs <= nowMs) {
        this.#hidden.delete(message.id);
        this.#ready.set(message.id, message);
      } else {
        nextMs = Math.min(nextMs, message.visibleAtMs);
      }
    }
    if (nextMs !== NEVER_MS) this.#arm(nextMs);
    if (this.#ready.size > 0) this.#announce();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #deliver(message: Message): void {
    const { receiveCount, takeCount, firstReceivedAtMs, visibleAtMs } = message;
    const delivery: Delivery = { receiveCount, takeCount, firstReceivedAtMs, visibleAtMs };
    this.#options.record(['deliver', this.name, message.id, delivery]);
    this.restore(message);
  }

  #drop(message: Message): void {
    this.#ready.delete(message.id);
    this.#hidden.delete(message.id);
    this.#options.record(['drop', this.name, message.id]);
  }

  /** Whether a ready message must not be handed out: too old, or received too often and moved to the dead letters. */
  #isSpent(message: Message, nowMs: number): boolean {
    if (nowMs - message.sentAtMs > this.settings.retentionMs) return true;
    const { redrive } = this.settings;
    if (redrive === undefined || message.receiveCount < redrive.receivesMax) return false;
    const moved = { ...message, visibleAtMs: nowMs, deadLetterSourceArn: this.arn };
    return this.#options.deadLetter(redrive.deadLetterArn, moved);
  }

  #find(handle: unknown): Message | undefined {
    const { id, takeCount } = parseHandle(handle);
    const message = this.#hidden.get(id) ?? this.#ready.get(id);
    return message?.takeCount === takeCount ? message : undefined;
  }

  #arm(visibleAtMs: number): void {
    if (visibleAtMs >= this.#earliestMs || this.#isClosed) return;
    this.#earliestMs = visibleAtMs;
    clearTimeout(this.#timer);
    const waitMs = Math.max(visibleAtMs - this.#options.now(), 0) + 1;
    this.#timer = setTimeout(() => this.reconsider(), Math.min(waitMs, TIMER_MAX_MS));
    this.#timer.unref();
  }

  #announce(): void {
    if (this.#isAnnouncing || this.#isClosed || this.#listeners.size === 0) return;
    this.#isAnnouncing = true;
    // One turn later, so that the entries of one SendMessageBatch wake a consumer together.
    queueMicrotask(() => {
      this.#isAnnouncing = false;
      for (const listener of Array.from(this.#listeners)) {
        if (this.#ready.size === 0) return;
        if (this.#listeners.has(listener)) listener();
      }
    });
  }
}
