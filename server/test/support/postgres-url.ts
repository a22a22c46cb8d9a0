let asked: Promise<string> | undefined;

/**
 * The URL of the PostgreSQL server of the tests: the one that PHAROS_TEST_POSTGRES_URL names, or the one that `npm test`
 * starts when the first test asks for it.
 */
export function postgresUrl(): Promise<string> {
  asked ??= askForUrl();
  return asked;
}

async function askForUrl(): Promise<string> {
  const { PHAROS_TEST_POSTGRES_URL: url, PHAROS_TEST_POSTGRES: desk } = process.env;
  if (url) return url;
  if (!desk) throw new Error('This test needs a PostgreSQL server: run `npm test`, or set PHAROS_TEST_POSTGRES_URL.');
  const answer = await fetch(desk);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
