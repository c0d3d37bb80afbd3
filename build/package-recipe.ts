/** What a package is built from. Paths are relative to the repository's root, in the package to its own. */
export interface PackageRecipe {
  readonly name: string;
  readonly description: string;
  /** The oldest Node.js that runs it. */
  readonly node: string;
  /** The TypeScript modules that others import, by the path of the package's `exports`. Only they have declarations. */
  readonly exports: Readonly<Record<string, string>>;
  /** Other files that others import, by the path of the package's `exports`. `addFiles` writes them. */
  readonly data: Readonly<Record<string, string>>;
  /** Declarations that replace those of the compiler, by the TypeScript module that they describe. */
  readonly declarations: Readonly<Record<string, () => string>>;
  /** The TypeScript modules of the commands, by the command's name. */
  readonly commands: Readonly<Record<string, string>>;
  /** Modules that are neither exported nor imported but found by their path, such as a child process's. */
  readonly programs: readonly string[];
  /** The TypeScript modules behind the imports that start with `#`, which differ from the repository's. */
  readonly imports: Readonly<Record<string, string>>;
  /** Packages that the user's app also imports. Everything else that the code imports is a dependency. */
  readonly peers: readonly string[];
  /** Packages of this repository that the app must have in exactly the same version. */
  readonly sameVersion: readonly string[];
  /** Packages that cannot be installed on every platform. */
  readonly optional: readonly string[];
  /** Writes what is not compiled into the folder of a version of the package. Returns the top-level names. */
  readonly addFiles: (folder: string, version: string) => Promise<readonly string[]>;
}
