import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { z } from 'zod';

/** A package whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The license as the package states it, usually an SPDX identifier. */
  readonly license: string;
  readonly author: string | undefined;
  /** The absolute path of the package's folder. */
  readonly folder: string;
  /** The folders of the packages in the same bundle that its code imports. */
  readonly imports: readonly string[];
}

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default('NOASSERTION'),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
});

/**
 * Returns the packages whose code is in a bundle, sorted by name.
 *
 * @param metafiles esbuild's descriptions of the bundle's files.
 * @param workingDirectory The absolute path that the metafiles' paths are relative to.
 */
export function bundledPackages(metafiles: readonly Metafile[], workingDirectory: string): readonly BundledPackage[] {
  const folderOf = (file: string): string | undefined => packageFolder(join(workingDirectory, file));
  const inputs = new Map(metafiles.flatMap((metafile) => Object.entries(metafile.inputs)));
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  const filesByFolder = Map.groupBy(new Set(files), folderOf);
  const packages = [...filesByFolder].flatMap(([folder, filesInFolder]): BundledPackage[] => {
    // Files without a folder are Parley's own.
    if (folder === undefined) return [];
    const imports = filesInFolder
      .flatMap((file) => inputs.get(file)?.imports ?? [])
      .flatMap(({ path }) => folderOf(path) ?? [])
      .filter((imported) => imported !== folder && filesByFolder.has(imported));
    return [{ ...readManifest(folder), folder, imports: [...new Set(imports)].toSorted() }];
  });
  return packages.toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/**
 * Returns the folder of the package that contains a file, or undefined for a file outside of node_modules.
 *
 * The nearest package.json is not enough: many packages have nested ones that state only a module format.
 */
function packageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/'))?.[0];
}

function readManifest(folder: string): Omit<BundledPackage, 'folder' | 'imports'> {
  const { author, ...manifest } = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return { ...manifest, author };
}
