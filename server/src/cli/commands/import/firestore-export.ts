import { open, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * What `gcloud firestore export` writes: files `output-N` in LevelDB's log format
 * (https://github.com/google/leveldb/blob/main/doc/log_format.md), each record an EntityProto (`entity.proto` of the App Engine SDK).
 */
export interface ExportedDocument {
  /** The file, and the number of the record in it. */
  readonly at: string;
  /** Epoch ms. */
  readonly fileTime: number;
  /** `projects/…/documents/halls/h1/rooms/r1` */
  readonly name?: string;
  /** A typed value each, as in the REST interface. */
  readonly fields?: Fields;
  /** In place of these two. */
  readonly problem?: string;
}

type Fields = Readonly<Record<string, object>>;

/** @throws Error for a folder without such files */
export async function* exportedDocuments(folder: string): AsyncGenerator<ExportedDocument> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile() && /^output-\d+$/.test(one.name));
  if (files.length === 0)
    throw new Error(`There is no file output-0, as gcloud firestore export writes it, in ${folder}.`);
  for (const path of files.map((one) => join(one.parentPath, one.name)).sort()) {
    const fileTime = Math.floor((await stat(path)).mtimeMs);
    let number = 0;
    for await (const record of logRecords(path))
      yield { at: `${relative(folder, path)}:${++number}`, fileTime, ...readRecord(record) };
  }
}

function readRecord(record: Uint8Array | string): Pick<ExportedDocument, 'name' | 'fields' | 'problem'> {
  if (typeof record === 'string') return { problem: record };
  try {
    const entity = new Wire(record).message();
    const steps = messageIn(messageIn(entity, 13), 14).get(1) ?? [];
    return { name: nameOf(steps, [2, 3, 4]), fields: fieldsOf(entity) };
  } catch {
    return { problem: 'is no document of Firestore' };
  }
}

const blockSize = 32_768;
const headerSize = 7;
/** A document has at most 1 MiB. */
const maxRecord = 4_194_304;
const types = { padding: 0, full: 1, first: 2, middle: 3, last: 4 };

/** The records of a file, or what is wrong with one. */
async function* logRecords(path: string): AsyncGenerator<Buffer | string> {
  const file = await open(path);
  try {
    const block = Buffer.alloc(blockSize);
    const record = new Assembly();
    for (let length = blockSize; length === blockSize; ) {
      length = (await file.read(block, 0, blockSize)).bytesRead;
      for (const { type, bytes } of fragments(block.subarray(0, length))) yield* record.add(type, bytes);
    }
    yield* record.end();
  } finally {
    await file.close();
  }
}

/** Without `bytes`: they are damaged. */
function* fragments(block: Buffer): Generator<{ readonly type: number; readonly bytes?: Buffer }> {
  for (let at = 0; at + headerSize <= block.length; ) {
    const length = block.readUInt16LE(at + 4);
    const type = block[at + 6] ?? 0;
    if (type === types.padding && length === 0) return;
    const bytes = block.subarray(at + headerSize, at + headerSize + length);
    const isWhole =
      bytes.length === length && maskedCrc(block.subarray(at + 6, at + headerSize + length)) === block.readUInt32LE(at);
    yield isWhole ? { type, bytes } : { type };
    at += headerSize + length;
  }
}

/** Puts one record after the other together. */
class Assembly {
  #parts: Buffer[] = [];
  #size = 0;
  #problem: string | undefined;

  *add(type: number, bytes: Buffer | undefined): Generator<Buffer | string> {
    if (type === types.full || type === types.first) yield* this.end();
    if (bytes === undefined) this.#problem ??= 'is damaged';
    else if (this.#size === 0 && type > types.first) this.#problem ??= 'has no beginning';
    this.#size += bytes?.length ?? 1;
    if (this.#size > maxRecord) this.#problem ??= `has more than ${maxRecord >> 20} MiB`;
    if (bytes && this.#problem === undefined) this.#parts.push(Buffer.from(bytes));
    if (type !== types.full && type !== types.last) return;
    yield this.#problem ?? Buffer.concat(this.#parts);
    this.#clear();
  }

  /** What has begun is not whole. */
  *end(): Generator<string> {
    if (this.#size > 0) yield this.#problem ?? 'has no end';
    this.#clear();
  }

  #clear(): void {
    this.#parts = [];
    this.#size = 0;
    this.#problem = undefined;
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C as LevelDB stores it. */
function maskedCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** The values of each field, in their order. A group is a message at once; another message is bytes until it is asked for. */
type Message = ReadonlyMap<number, readonly Value[]>;
type Value = bigint | number | Uint8Array | Message;

/** Protocol Buffers without a schema (https://protobuf.dev/programming-guides/encoding/). */
class Wire {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @throws Error for what is not a message */
  message(group = 0): Message {
    const found = new Map<number, Value[]>();
    while (this.#at < this.#bytes.length) {
      const tag = Number(this.#varint());
      const [field, kind] = [tag >>> 3, tag & 7];
      if (kind === 4 && field === group) return found;
      const values = found.get(field) ?? [];
      values.push(this.#value(field, kind));
      found.set(field, values);
    }
    if (group > 0) throw new Error('This group has no end.');
    return found;
  }

  #value(field: number, kind: number): Value {
    if (kind === 0) return this.#varint();
    if (kind === 1) return this.#take(8).readDoubleLE();
    if (kind === 2) return this.#take(Number(this.#varint()));
    if (kind === 3) return this.message(field);
    if (kind === 5) return this.#take(4).readFloatLE();
    throw new Error('This is not a field.');
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = this.#take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
    throw new Error('This number has no end.');
  }

  #take(length: number): Buffer {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (length < 0 || bytes.length < length) throw new Error('The message ends too soon.');
    this.#at += length;
    return bytes;
  }
}

const asMessage = (value: Value | undefined): Message =>
  value instanceof Map ? value : new Wire(value as Uint8Array).message();
const messageIn = (message: Message, field: number) => asMessage(message.get(field)?.[0]);
const textOf = (value: Value | undefined) => Buffer.from((value ?? []) as Uint8Array).toString();

/** The path of a key or reference: for each step the collection, and the id as number or text. */
function nameOf(steps: readonly Value[], [type, number, text]: readonly [number, number, number]): string {
  const path = steps.map(asMessage).flatMap((step) => {
    const [id] = step.get(number) ?? [];
    return [textOf(step.get(type)?.[0]), id === undefined ? textOf(step.get(text)?.[0]) : `__id${id}__`];
  });
  return ['projects', '', 'databases', '', 'documents', ...path].join('/');
}

const meanings = { time: 7, blob: 14, byteString: 16, entity: 19, emptyList: 24, vector: 31 };

function fieldsOf(entity: Message): Fields {
  const fields: Record<string, object> = Object.create(null);
  const lists = new Map<string, object[]>();
  // Indexed and other properties; a list has one for each element.
  for (const property of [...(entity.get(14) ?? []), ...(entity.get(15) ?? [])].map(asMessage)) {
    const [name, meaning] = [textOf(property.get(3)?.[0]), Number(property.get(1)?.[0] ?? 0)];
    const isEmpty = meaning === meanings.emptyList;
    const value = typedValue(messageIn(property, 5), meaning);
    const values = lists.get(name) ?? [];
    if (!isEmpty) values.push(value);
    lists.set(name, values);
    fields[name] = isEmpty || property.get(4)?.[0] === 1n ? listOf(values, meaning) : value;
  }
  return fields;
}

function listOf(values: object[], meaning: number) {
  const list = { arrayValue: { values } };
  return meaning === meanings.vector
    ? { mapValue: { fields: { __type__: { stringValue: '__vector__' }, value: list } } }
    : list;
}

/** A PropertyValue as a typed value of the REST interface. */
function typedValue(value: Message, meaning: number): object {
  const [[field, [content] = []] = [0, []]] = value;
  if (field === 1)
    return meaning === meanings.time ? { timestampValue: timeText(content as bigint) } : { integerValue: `${content}` };
  if (field === 2) return { booleanValue: content === 1n };
  if (field === 4) return { doubleValue: Number.isFinite(content) ? content : `${content}` };
  if (field === 5) {
    const [latitude, longitude] = [6, 7].map((one) => (content as Message).get(one)?.[0] ?? 0);
    return { geoPointValue: { latitude, longitude } };
  }
  if (field === 12) return { referenceValue: nameOf((content as Message).get(14) ?? [], [15, 16, 17]) };
  if (field !== 3) return { nullValue: null };
  if (meaning === meanings.entity) return { mapValue: { fields: fieldsOf(asMessage(content)) } };
  const isBytes = meaning === meanings.blob || meaning === meanings.byteString;
  return isBytes
    ? { bytesValue: Buffer.from(content as Uint8Array).toString('base64') }
    : { stringValue: textOf(content) };
}

/** RFC 3339, with as many digits as are needed. */
function timeText(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, -'.000Z'.length);
  const digits = String(rest)
    .padStart(6, '0')
    .replace(/^000000$|000$/, '');
  return `${second}${digits && `.${digits}`}Z`;
}
