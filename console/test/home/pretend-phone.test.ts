import assert from 'node:assert/strict';
import { test } from 'vitest';
import { accessIn, arrivedOf, rssiAt, textOfAccess } from '../../src/features/pretend/pretend-phone.ts';

test('a pretend phone hears as the path-loss model says', () => {
  assert.deepEqual(
    [1, 2, 10].map((metres) => rssiAt(metres, -59)),
    [-59, -65, -79],
  );
});

test('what the code on the screen gives to one’s own phone is read there, and nothing else', () => {
  const beacon = { name: 'Wal & Hai', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 0, minor: 7, power: -62 };
  const access = { appId: '0VnZxSfm4kQ7uLw2PzRt', appKey: 'a+b/c=', appName: 'Museum #1', beacon };
  assert.deepEqual(accessIn(textOfAccess(access)), access);
  for (const text of ['', 'appId=a', textOfAccess(access).replace('major=0', 'major=x')])
    assert.equal(accessIn(text), undefined, text);
});

test('a message shows its words; the address of a picture where it has none', () => {
  const of = (message: object) => arrivedOf({ deliveryId: 'd', notification: { message } });
  assert.deepEqual(of({ alertTitle: 'Hello', alertMessage: 'There' }), { id: 'd', title: 'Hello', body: 'There' });
  assert.deepEqual(of({ url: 'https://a.example/b.png' }), { id: 'd', title: '', body: 'https://a.example/b.png' });
  assert.deepEqual(arrivedOf({ deliveryId: 'd', scenario: { alertTitle: 'Tea', alertMessage: '' } }).title, 'Tea');
});
