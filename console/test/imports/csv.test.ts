import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { CsvError, numberIn, parseCsv, writeCsv } from '../../src/lib/text/csv.ts';
import { decodeText } from '../../src/lib/text/decode.ts';

describe('CSV', () => {
  const read = (text: string) => parseCsv(text).rows.map(({ cells }) => cells);
  const cases: readonly [what: string, text: string, rows: readonly (readonly string[])[]][] = [
    ['quotes, commas and line breaks', 'a,b\n"x, ""y""","1\r\n2"\n', [['x, "y"', '1\n2']]],
    [
      'any line break, and none at the end',
      'a,b\r\n1,2\n3,4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['a byte-order mark and empty lines', '\uFEFFa,b\n\n1,2\n\n', [['1', '2']]],
    [
      'empty fields, also the last',
      'a,b\n"",x\n1,',
      [
        ['', 'x'],
        ['1', ''],
      ],
    ],
    ['semicolons', 'a;b\n1;"2;3"\n', [['1', '2;3']]],
    ['what Excel is told of the separator', '\uFEFFsep=;\r\na;b\r\n1,5;2\r\n', [['1,5', '2']]],
    ['the same with tabs', 'SEP=\t\na\tb\n1\t2;3\n', [['1', '2;3']]],
    ['a heading that is called so', 'sep=x,b\n1,2\n', [['1', '2']]],
    ['one column', 'a\nx\n', [['x']]],
  ];
  for (const [what, text, rows] of cases) test(`reads ${what}`, () => assert.deepEqual(read(text), rows));

  test('refuses an empty file', () =>
    assert.throws(
      () => parseCsv(''),
      (error) => error instanceof CsvError && /empty/.test(error.message),
    ));

  test('of columns with one heading the first is read, or the one that was chosen', () => {
    const text = 'a,b,A,a\n1,2,3,4\n';
    const { header, repeated, rows } = parseCsv(text);
    assert.deepEqual(
      [header, rows[0]?.cells],
      [
        ['a', 'b', 'A', ''],
        ['1', '2', '3', '4'],
      ],
    );
    assert.deepEqual(repeated, [{ name: 'a', columns: [0, 3], chosen: 0 }]);
    const same = (name: string) => name.toLowerCase();
    assert.deepEqual(parseCsv(text, { same }).header, ['a', 'b', '', '']);
    assert.deepEqual(parseCsv(text, { same, chosen: { a: 2 } }).header, ['', 'b', 'A', '']);
    assert.deepEqual(parseCsv(text, { chosen: { a: 1 } }).header, ['a', 'b', 'A', ''], 'there is no such column now');
  });

  const mended: readonly [what: string, text: string, rows: string[][]][] = [
    ['short rows', 'a,b,c\n1\n', [['1', '', '']]],
    ['empty rows', 'a;b\n;\n1;2\n ; \n', [['1', '2']]],
    ['headings that end in nothing', 'a,b,,\n1,2,,\n', [['1', '2']]],
    ['a quote inside a field', 'a,b\n5" nail,1\n', [['5" nail', '1']]],
    ['tabs', 'a\tb\n1,5\t2\n', [['1,5', '2']]],
    ['a comma in a heading between semicolons', 'a;"b, c";d\n1;2;3\n', [['1', '2', '3']]],
    ['line breaks of old Macs', 'a,b\r1,2\r', [['1', '2']]],
  ];
  for (const [what, text, rows] of mended) test(`reads ${what}`, () => assert.deepEqual(read(text), rows));

  const ofOneRow: readonly [text: string, problem: RegExp][] = [
    ['a,b\n1,2,3\n4,5\n', /Line 2 has more fields than there are headings: 3/],
    ['a,b\n"1,2\n4,5\n', /quote that line 2 opens is never closed/],
    ['a,b\n"x"y,1\n4,5\n', /Line 2 has text behind a closing quote/],
  ];
  for (const [text, problem] of ofOneRow)
    test(`${JSON.stringify(text)} has a problem in one row, and the next one is read`, () => {
      const [first, second] = parseCsv(text).rows;
      assert.match(first?.problem ?? '', problem);
      assert.deepEqual([second?.cells, second?.problem], [['4', '5'], undefined]);
    });

  test('numbers have a decimal comma where no comma separates', () => {
    assert.deepEqual(
      [numberIn('4,2', ';'), numberIn('1.234,5', ';'), numberIn('4.2', ';'), numberIn('-0,5', '\t')],
      [4.2, 1234.5, 4.2, -0.5],
    );
    assert.deepEqual([numberIn('4,2'), numberIn(''), numberIn('4,2,1', ';')], [Number.NaN, Number.NaN, Number.NaN]);
  });

  test('reads what it writes', () => {
    const rows = [
      ['a', 'b'],
      ['x,"y"', ' 1\n2 '],
      ['-3.5', ';'],
      ['', 'é'],
    ];
    assert.deepEqual(read(writeCsv(rows)), rows.slice(1));
  });

  test('writes nothing that a spreadsheet would run', () => {
    assert.equal(writeCsv([['=1+1', '-5', '+a', '@b']]), '"\t=1+1",-5,"\t+a","\t@b"\r\n');
  });

  test('nor anything that one would run which splits at semicolons and line breaks, and reads back what it was', () => {
    const hostile = ['Ann;=1+1', 'Ann\n=1+1', 'Ann\n-1+cmd', '{"a":"b;@c"}', '\uFF1D1+1', 'a;\t=b', '-5;+7;x'];
    const text = writeCsv([['name', 'more'], ...hostile.map((name) => ['x', name])]);
    // As Excel does it in countries where a semicolon separates: quotes count only where a field begins.
    for (const cell of text.split(/[;\r\n]/))
      assert.ok(!/^[=+@\uFF1D-]/.test(cell) || /^[+-][\d.]+$/.test(cell), JSON.stringify(cell));
    assert.deepEqual(
      read(text).map(([, cell]) => cell),
      hostile,
    );
  });
});

describe('the bytes of a file', () => {
  const text = 'name;größe\nCafé;4,2\n';
  const cases: readonly [what: string, bytes: Uint8Array, encoding: string][] = [
    ['UTF-8', Buffer.from(text), 'UTF-8'],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`), 'UTF-8'],
    ['UTF-16, little end first', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'UTF-16'],
    ['UTF-16, big end first', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'UTF-16'],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'UTF-16'],
    ['ANSI', Buffer.from(text, 'latin1'), 'Windows-1252 (ANSI)'],
  ];
  for (const [what, bytes, encoding] of cases)
    test(`are read as ${what}`, () => {
      const decoded = decodeText(bytes);
      assert.deepEqual([decoded.text.replace('\uFEFF', ''), decoded.encoding], [text, encoding]);
    });
});
