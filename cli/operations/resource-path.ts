/** An id that every gateway passes on unchanged in a path. URL parsing removes segments such as `..`. */
const PLAIN_ID = /^(?!\.+$|-$)[\w.~+@:-]+$/;

/**
 * Returns the path of a resource of the management API. An id with other characters goes into the query, because HTTP
 * APIs reportedly cut the path at a decoded question mark.
 *
 * @param collection such as `messages`
 * @param idName the name of the id in the API, such as `messageId`
 */
export const resourcePath = (
  collection: string,
  idName: string,
  id: string,
  query: URLSearchParams = new URLSearchParams(),
): string => {
  const isPlain = PLAIN_ID.test(id);
  const parameters = [...(isPlain ? [] : [[idName, id] as const]), ...query];
  const path = `/v1/${collection}/${isPlain ? encodeURIComponent(id) : '-'}`;
  // Not URLSearchParams, which writes a space as a plus.
  const written = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return written.length === 0 ? path : `${path}?${written.join('&')}`;
};

/** Returns the path of a list of what belongs to a customer, such as `contacts`. */
export const customerPath = (collection: string, customerId: string, query: URLSearchParams): string =>
  `/v1/${collection}?${new URLSearchParams([['customerId', customerId], ...query])}`;
