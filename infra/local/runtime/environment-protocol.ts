/** What passes between the runtime and the thread of an execution environment. */

/** Given to the thread when it starts. */
export interface EnvironmentData {
  readonly entryUrl: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly environmentName: string;
  readonly memoryMiB: number;
}

/** One invocation; `event` is JSON text. */
export interface ToThread {
  readonly requestId: string;
  readonly event: string;
  readonly timeoutMs: number;
  /** Milliseconds by which the handler's clock is ahead of the machine's. */
  readonly clockSkewMs: number;
}

/** `payload` is JSON text: the handler's answer, or `{errorType, errorMessage, trace}`. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unready'; readonly payload: string }
  | { readonly kind: 'succeeded'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly payload: string };
