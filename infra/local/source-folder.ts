/**
 * The files below a folder as sources: which there are, what is left out and why, and each one's text when its turn
 * comes. Links are not followed, so that a folder cannot lead outside itself or around in a circle.
 */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { decodeText } from '../../functions/core/decode-text.ts';
import { formatChange } from '../../functions/core/normalize.ts';
import type { SourceKind } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Format } from '../../schema/source.ts';
import { UsageError } from './usage.ts';

/** A file that will be a source. */
export interface SourceFile {
  /** Relative to the folder, with `/`, NFC. */
  readonly id: string;
  readonly path: string;
}

/** A file or folder that is not taken in although it might have been meant to be. */
export interface LeftOut {
  readonly id: string;
  readonly reason: string;
  /** Text that could not be taken in: somebody has to look. Else it is nothing that could be read. */
  readonly isText: boolean;
}

/** A file, link or folder that is never read. */
export interface PassedOver {
  readonly id: string;
  readonly reason: string;
}

const IS_LINK = 'it is a link, and links are not followed';
const IS_HIDDEN = 'its name begins with a dot';

export interface FolderListing {
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** Links, and what has a name that begins with a dot; what is inside such a folder is not listed. */
  readonly passedOver: readonly PassedOver[];
}

/** A source as POST sources takes it. */
export interface SourceBody {
  readonly kind: SourceKind;
  readonly id: string;
  readonly format: Format;
  readonly text: string;
  readonly modifiedAt: string;
}

/** A file's source, and its bytes as they are. */
export interface ReadFile {
  readonly source: SourceBody;
  readonly bytes: Buffer;
  /** What reading its bytes as text changed. */
  readonly changes: readonly string[];
}

/** More is a mistake, such as a whole disk: the list alone would take minutes and gigabytes. */
const FILES_MAX = 100_000;

interface Listing {
  readonly files: SourceFile[];
  readonly leftOut: LeftOut[];
  readonly ids: Set<string>;
  readonly passedOver: PassedOver[];
}

/** Lists a folder. Throws a UsageError when there is none of that name, it is no folder, or it holds no file to read. */
export function listFolder(folder: string): FolderListing {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`--from ${folder} does not exist: name a folder with files.`);
  if (!stats.isDirectory()) throw new UsageError(`--from ${folder} is not a folder: name a folder with files.`);
  const listing: Listing = { files: [], leftOut: [], ids: new Set(), passedOver: [] };
  listInto(listing, folder, '');
  const { files, leftOut, passedOver } = listing;
  if (files.length === 0) {
    const left = leftOut.length > 0 ? `, ${leftOut.length} that cannot be read` : '';
    const links = passedOver.filter(({ reason }) => reason === IS_LINK).length;
    const dotFiles = passedOver.length - links;
    const inside = `${links} ${links === 1 ? 'link' : 'links'}, ${dotFiles} ${dotFiles === 1 ? 'dot file' : 'dot files'}${left}`;
    throw new UsageError(`--from ${folder} holds no file to read (${inside}): name a folder with files.`);
  }
  return { files: files.toSorted((a, b) => (a.id < b.id ? -1 : 1)), leftOut, passedOver };
}

function listInto(listing: Listing, folder: string, prefix: string): void {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    listing.leftOut.push({ id: prefix === '' ? '.' : prefix, reason: describeFileError(error), isText: true });
    return;
  }
  // The order of a folder is its file system's own; ours must be the same everywhere.
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const id = `${prefix}${entry.name}`.normalize('NFC');
    const place = path.join(folder, entry.name);
    if (entry.name.startsWith('.')) listing.passedOver.push({ id, reason: IS_HIDDEN });
    else if (entry.isSymbolicLink()) listing.passedOver.push({ id, reason: IS_LINK });
    else if (entry.isDirectory()) listInto(listing, place, `${id}/`);
    else if (!entry.isFile()) listing.leftOut.push({ id, reason: 'it is neither a file nor a folder', isText: false });
    else takeFile(listing, { id, path: place });
  }
}

function takeFile(listing: Listing, file: SourceFile): void {
  if (listing.ids.has(file.id)) {
    const reason = 'another file has the same name but for the way its accents are written';
    listing.leftOut.push({ id: file.id, reason, isText: true });
    return;
  }
  if (listing.files.length === FILES_MAX) {
    throw new UsageError(`--from holds more than ${FILES_MAX} files: name a smaller folder.`);
  }
  listing.ids.add(file.id);
  listing.files.push(file);
}

/** Reads a file as a source, or says why it is left out. A file that is longer than an upload may be is not read at all. */
export function readSourceFile({ id, path: place }: SourceFile): ReadFile | LeftOut {
  let bytes: Buffer;
  let modifiedAt: string;
  try {
    const { size, mtime } = statSync(place);
    if (size > LIMITS.uploadBytesMax) return tooLarge(id, size);
    bytes = readFileSync(place);
    modifiedAt = mtime.toISOString();
  } catch (error) {
    return { id, reason: describeFileError(error), isText: true };
  }
  const decoded = decodeText(bytes);
  if (decoded.kind === 'refused') return { id, reason: decoded.message, isText: false };
  const { text, changes } = decoded;
  return { source: { ...typeOf(id), id, text, modifiedAt }, bytes, changes: changes.map(formatChange) };
}

function tooLarge(id: string, sizeBytes: number): LeftOut {
  const reason = `it is ${sizeBytes} bytes, and at most ${LIMITS.uploadBytesMax} are taken: cut it into smaller files`;
  return { id, reason, isText: true };
}

/** What a file's ending says it is. */
export function typeOf(id: string): Pick<SourceBody, 'kind' | 'format'> {
  switch (path.posix.extname(id).toLowerCase()) {
    case '.jsonl':
      return { kind: 'transcript', format: 'turns' };
    case '.md':
      return { kind: 'document', format: 'markdown' };
    default:
      return { kind: 'document', format: 'text' };
  }
}

function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'reading it is not permitted';
  return code === 'ENOENT' ? 'it is gone, or its name is not UTF-8' : `it cannot be read (${code ?? message})`;
}
