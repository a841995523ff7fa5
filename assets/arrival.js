// Runs first of all, before anything of the page is there.

import { hearTouches } from "./first_visit.js";

hearTouches();
