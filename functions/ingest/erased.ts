/** A source that was erased: nothing of it is taken in, whatever its revision, until a person lifts that. */
import type { ErasedSource } from '../../schema/source-erasure.ts';
import { HttpError } from '../io/http.ts';

export class SourceErasedError extends HttpError {
  constructor({ kind, id, erasedAtMs }: ErasedSource) {
    const when = new Date(erasedAtMs).toISOString();
    const message = `the ${kind} ${JSON.stringify(id)} was erased at ${when}, and no revision of it is taken in: to have it again, POST …/erasures/lift with {"source": {"kind", "id"}} and send it anew`;
    super(409, 'source_erased', message);
    this.name = 'SourceErasedError';
  }
}
