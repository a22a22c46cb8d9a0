/** What an app has stored, the trash included. Bytes of records are those of their documents in UTF-8. */
export interface Stored {
  readonly files: number;
  readonly fileBytes: number;
  readonly records: number;
  readonly recordBytes: number;
}

export const none: Stored = Object.freeze({ files: 0, fileBytes: 0, records: 0, recordBytes: 0 });

export function sum(a: Stored, b: Partial<Stored>): Stored {
  const { files = 0, fileBytes = 0, records = 0, recordBytes = 0 } = b;
  return {
    files: Math.max(0, a.files + files),
    fileBytes: Math.max(0, a.fileBytes + fileBytes),
    records: Math.max(0, a.records + records),
    recordBytes: Math.max(0, a.recordBytes + recordBytes),
  };
}

/** Like `sum`, but the result may be negative, because changes can be. */
export function added(a: Stored, b: Partial<Stored>): Stored {
  const { files = 0, fileBytes = 0, records = 0, recordBytes = 0 } = b;
  return {
    files: a.files + files,
    fileBytes: a.fileBytes + fileBytes,
    records: a.records + records,
    recordBytes: a.recordBytes + recordBytes,
  };
}

/** `added`, of what is taken away again. */
export function without(a: Stored, b: Partial<Stored>): Stored {
  const { files = 0, fileBytes = 0, records = 0, recordBytes = 0 } = b;
  return {
    files: a.files - files,
    fileBytes: a.fileBytes - fileBytes,
    records: a.records - records,
    recordBytes: a.recordBytes - recordBytes,
  };
}

export function negative({ files, fileBytes, records, recordBytes }: Stored): Stored {
  return { files: -files, fileBytes: -fileBytes, records: -records, recordBytes: -recordBytes };
}
