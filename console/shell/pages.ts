import { type ComponentType, lazy } from "react";

interface PageEntry {
  readonly path: string;
  readonly title: string;
  readonly page: ComponentType;
}

/** The pages in the navigation, each of which is loaded when it is opened first. */
export const pages: readonly PageEntry[] = [
  { path: "/", title: "Overview", page: lazy(() => import("../overview/overview.tsx")) },
  { path: "/volumes", title: "Volumes", page: lazy(() => import("../volumes/volumes.tsx")) },
  { path: "/claims", title: "Claims and sets", page: lazy(() => import("../claims/claims.tsx")) },
  { path: "/kept", title: "Kept volumes", page: lazy(() => import("../kept/kept.tsx")) },
  { path: "/satellites", title: "Satellites", page: lazy(() => import("../satellites/satellites.tsx")) },
  { path: "/eviction", title: "Eviction", page: lazy(() => import("../eviction/eviction.tsx")) },
];

/** The page of any one object. */
export const ObjectPage = lazy(() => import("../object/object.tsx"));
