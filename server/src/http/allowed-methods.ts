import type { Endpoint } from './endpoint.ts';

/** The methods of a path: of the matching endpoints with the fewest parameters, as the router chooses. */
export function allowedMethods(path: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): string[] {
  const fitting = endpoints.filter((endpoint) => matchesPath(endpoint.path, path));
  const fewest = Math.min(...fitting.map(countParameters));
  const own = fitting.filter((endpoint) => countParameters(endpoint) === fewest);
  const methods = own.map((endpoint) => endpoint.method as string);
  if (methods.includes('GET')) methods.push('HEAD');
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort();
}

function countParameters({ path }: Pick<Endpoint, 'path'>): number {
  return path.split('/:').length;
}

export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
