import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { report, safely } from '../src/report.ts';

describe("an exception of the app's own function", () => {
  const platform = globalThis as { reportError?: (error: unknown) => void };
  let told: unknown[];
  beforeEach(() => {
    told = [];
    platform.reportError = (error) => told.push(error);
  });
  afterEach(() => {
    delete platform.reportError;
  });
  const [own, other] = [new Error('own'), new Error('other')];

  test('goes to onError, and to the platform where there is none', () => {
    const heard: unknown[] = [];
    report(own, (error) => heard.push(error));
    assert.deepEqual([heard, told], [[own], []]);
    report(own);
    assert.deepEqual(told, [own]);
  });

  test('goes to the platform if onError throws itself', () => {
    report(own, () => {
      throw other;
    });
    assert.deepEqual(told, [other]);
  });

  test('does not disturb the client, whether it comes at once or later', async () => {
    safely(() => {
      throw own;
    });
    safely(async () => {
      throw other;
    });
    await nextTurn();
    assert.deepEqual(told, [own, other]);
  });

  test('is logged where the platform has no reportError', (context) => {
    context.onTestFinished(() => mock.reset());
    delete platform.reportError;
    const log = mock.method(console, 'error', () => undefined);
    report(own);
    assert.deepEqual(log.mock.calls[0]?.arguments, [own]);
  });
});
