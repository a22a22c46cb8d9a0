/** `node parse-process.mjs FOLDER PORT DATABASE_URL`: Parse Server from FOLDER, as its guide sets it up. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, port, databaseURI] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { ParseServer } = require('parse-server');
const express = createRequire(require.resolve('parse-server'))('express');

const server = new ParseServer({
  databaseURI,
  appId: 'bench',
  masterKey: 'bench-master',
  restAPIKey: 'bench-rest',
  serverURL: `http://127.0.0.1:${port}/parse`,
  allowClientClassCreation: true,
  // By default it keeps files in MongoDB. This adapter is also its own, and keeps them below its working folder.
  filesAdapter: { module: '@parse/fs-files-adapter' },
  fileUpload: { enableForAuthenticatedUser: true, fileExtensions: ['*'] },
  logLevel: 'warn',
  silent: true,
});
await server.start();
const app = express();
app.use('/parse', server.app);
app.listen(Number(port), '127.0.0.1');
