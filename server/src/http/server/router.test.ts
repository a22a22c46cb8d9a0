import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Router } from './router.ts';

const route = (method: string, path: string, takesStream = false) => ({
  ...{ method, path, takesStream },
  begin: () => undefined,
  handle: () => undefined,
});

const router = new Router([
  route('POST', '/users/signin'),
  route('GET', '/users/:id'),
  route('DELETE', '/users/:userId'),
  route('GET', '/users/:id/photo'),
  route('GET', '/files'),
  route('PUT', '/files/:file', true),
]);

const found = (method: string, path: string) => {
  const { route, params } = router.find(method, path) ?? {};
  return route && [route.path, params];
};

test('a path is found before its method, a literal before a parameter, and parameters by the names of their endpoint', () => {
  assert.deepEqual(found('GET', '/users/abc'), ['/users/:id', { id: 'abc' }]);
  assert.deepEqual(found('HEAD', '/users/abc/'), ['/users/:id', { id: 'abc' }]);
  assert.deepEqual(found('DELETE', '/users/a%2Fb'), ['/users/:userId', { userId: 'a/b' }]);
  assert.deepEqual(found('GET', '/users/signin/photo'), ['/users/:id/photo', { id: 'signin' }]);
  for (const path of ['', '/', '/users', '/users//photo', '/users/a/photo/b', '/Users/abc'])
    assert.equal(found('GET', path), undefined, path);
  assert.equal(found('GET', '/users/signin'), undefined, 'it is no objectId');
  assert.deepEqual(router.methodsOf('/users/signin'), ['OPTIONS', 'POST']);
  assert.deepEqual(router.methodsOf('/users/abc'), ['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  assert.deepEqual(router.methodsOf('/nowhere'), []);
});

test('what takes a stream is told that its name is empty', () => {
  assert.deepEqual(found('PUT', '/files/'), ['/files/:file', { file: '' }]);
  assert.deepEqual(found('GET', '/files/'), ['/files', {}]);
  assert.deepEqual(router.methodsOf('/files'), ['GET', 'HEAD', 'OPTIONS']);
});
