import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFolder, readSourceFile, type SourceFile, typeOf } from '../../../infra/local/source-folder.ts';
import { UsageError } from '../../../infra/local/usage.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { makeFolder } from './command-run.ts';

const isPosix = process.platform !== 'win32';
const isRoot = process.getuid?.() === 0;

describe('a folder of sources', () => {
  let made: ReturnType<typeof makeFolder>;
  const put = (name: string, text: string | Buffer = 'text'): string => {
    const place = path.join(made.folder, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
    return place;
  };
  const idsOf = (): string[] => listFolder(made.folder).files.map(({ id }) => id);

  beforeEach(() => {
    made = makeFolder();
  });
  afterEach(() => made.remove());

  it('lists what is below it by relative path with slashes, in one order', () => {
    for (const name of ['b.txt', 'a/z.md', 'a/b/c.jsonl', 'B.txt']) put(name);
    expect(idsOf()).toEqual(['B.txt', 'a/b/c.jsonl', 'a/z.md', 'b.txt']);
  });

  it('passes over what begins with a dot, with all that is inside, and names it', () => {
    for (const name of ['a.txt', '.env', '.git/config', '.git/HEAD', 'sub/.hidden']) put(name);
    const { files, passedOver } = listFolder(made.folder);
    expect(files).toMatchObject([{ id: 'a.txt' }]);
    const reason = 'its name begins with a dot';
    expect(passedOver).toEqual(['.env', '.git', 'sub/.hidden'].map((id) => ({ id, reason })));
  });

  it.runIf(isPosix)('follows no link, to a file or around in a circle, and names them', () => {
    put('a.txt');
    symlinkSync('/etc/passwd', path.join(made.folder, 'passwd'));
    symlinkSync('.', path.join(made.folder, 'round'));
    symlinkSync('nowhere', path.join(made.folder, 'broken'));
    const { files, passedOver, leftOut } = listFolder(made.folder);
    expect([files.length, leftOut]).toEqual([1, []]);
    expect(passedOver.map(({ id }) => id).sort()).toEqual(['broken', 'passwd', 'round']);
    expect(passedOver[0]?.reason).toContain('links are not followed');
  });

  it('names a source in NFC however the file system spells it, and opens it by its own name', () => {
    const spelled = 'cafe\u0301.txt';
    put(spelled, 'coffee');
    const [file] = listFolder(made.folder).files;
    expect(file?.id).toBe('caf\u00e9.txt');
    expect(readSourceFile(file as SourceFile)).toMatchObject({ source: { id: 'caf\u00e9.txt', text: 'coffee' } });
  });

  it.runIf(process.platform === 'linux')('takes only one of two files whose names differ in spelling alone', () => {
    put('cafe\u0301.txt');
    put('caf\u00e9.txt');
    const { files, leftOut } = listFolder(made.folder);
    expect(files).toHaveLength(1);
    expect(leftOut).toMatchObject([{ id: 'caf\u00e9.txt', isText: true }]);
  });

  it.each([
    ['no such folder', (folder: string) => path.join(folder, 'none'), /none does not exist: name a folder/],
    ['a file', () => put('a.txt'), /a\.txt is not a folder: name a folder/],
    ['an empty folder', (folder: string) => folder, /holds no file to read \(0 links, 0 dot files\)/],
    [
      'a folder with nothing to read',
      (folder: string) => {
        put('.env');
        mkdirSync(path.join(folder, 'empty'));
        return folder;
      },
      /holds no file to read \(0 links, 1 dot file\)/,
    ],
  ])('refuses %s in one sentence', (_, prepare, words) => {
    const place = prepare(made.folder);
    expect(() => listFolder(place)).toThrow(UsageError);
    expect(() => listFolder(place)).toThrow(words);
  });

  it('reads text with its time, and leaves its marks to ingest', () => {
    const place = put('a.md', '\ufeffOne\r\ntwo');
    utimesSync(place, new Date(), new Date('2024-05-03T10:00:00Z'));
    const text = '\ufeffOne\r\ntwo';
    expect(readSourceFile({ id: 'a.md', path: place })).toEqual({
      source: { kind: 'document', format: 'markdown', id: 'a.md', text, modifiedAt: '2024-05-03T10:00:00.000Z' },
      bytes: Buffer.from(text),
      changes: [],
    });
  });

  it('reads UTF-16 by its mark, and text with a damaged byte, and says so', () => {
    const wide = put('wide.txt', Buffer.from('\ufeffhello', 'utf16le'));
    expect(readSourceFile({ id: 'wide.txt', path: wide })).toMatchObject({
      source: { text: 'hello' },
      changes: ['utf-16'],
    });
    const damaged = put('damaged.txt', Buffer.concat([Buffer.from('words '.repeat(50)), Buffer.from([0xff])]));
    expect(readSourceFile({ id: 'damaged.txt', path: damaged })).toMatchObject({ changes: ['invalid-bytes: 1'] });
  });

  it.each([
    ['a picture', Buffer.from([0x89, 0x50, 0xff, 0xfe]), /it is not text in UTF-8: 75 of 100/, false],
    ['an archive', Buffer.from('PK\u0003\u0004\u0014\u0000', 'latin1'), /it is no text: byte 5 is NUL/, false],
    ['nothing', '', /it is empty/, false],
    [
      'what is too large',
      Buffer.alloc(LIMITS.uploadBytesMax + 1, 'x'),
      /is 16777217 bytes, and at most 16777216/,
      true,
    ],
  ])('leaves out %s with the reason', (_, text, reason, isText) => {
    const left = readSourceFile({ id: 'a', path: put('a', text) });
    expect(left).toEqual({ id: 'a', reason: expect.stringMatching(reason), isText });
  });

  it('leaves out what is gone by its turn', () => {
    const gone = { id: 'gone', path: path.join(made.folder, 'gone') };
    expect(readSourceFile(gone)).toMatchObject({ id: 'gone', reason: expect.stringMatching(/^it is gone/) });
  });

  it.runIf(isPosix && !isRoot)('leaves out what may not be read, file or folder', () => {
    put('a.txt');
    chmodSync(put('secret.txt'), 0);
    put('closed/b.txt');
    chmodSync(path.join(made.folder, 'closed'), 0);
    const { files, leftOut } = listFolder(made.folder);
    expect(leftOut).toEqual([{ id: 'closed/', reason: 'reading it is not permitted', isText: true }]);
    expect(files.map((file) => readSourceFile(file))).toMatchObject([{ source: { text: 'text' } }, { isText: true }]);
    chmodSync(path.join(made.folder, 'closed'), 0o700);
  });

  it.each([
    ['a.jsonl', 'transcript', 'turns'],
    ['A.JSONL', 'transcript', 'turns'],
    ['b/c.md', 'document', 'markdown'],
    ['d.txt', 'document', 'text'],
    ['README', 'document', 'text'],
    ['x.json', 'document', 'text'],
  ])('takes %s for a %s of %s', (id, kind, format) => {
    expect(typeOf(id)).toEqual({ kind, format });
  });
});
