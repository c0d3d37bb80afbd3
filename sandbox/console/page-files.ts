/** The files of the console's page, from the path at which each is served to its text. */
export type PageFiles = ReadonlyMap<string, string>;
